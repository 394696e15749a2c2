// Whether bytes are text in UTF-8.
#pragma once

#include <string_view>

namespace pappus::base {

/// As RFC 3629 has it: no surrogates, no code points above U+10FFFF, none longer than needed.
bool is_utf8(std::string_view text) noexcept;

}  // namespace pappus::base
