// What a compiler said of a text, as messages have it.
#pragma once

#include <string>
#include <string_view>

namespace pappus::devices::opencl {

/// The log with the places that #line directives in the text give, where the compiler counts the
/// lines of the whole text instead: NVIDIA's writes <kernel>:113:32 of a text of any names.
std::string with_given_places(const std::string& log, std::string_view text);

/// The line of a log that tells most, behind ": ", for a message of one line; empty: there is none.
std::string first_error(const std::string& log);

}  // namespace pappus::devices::opencl
