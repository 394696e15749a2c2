// What is wrong with text that isn't JSON, and where: found when a line has been refused, as the
// parser tells only that it did.
#pragma once

#include <string>
#include <string_view>

namespace pappus::formats {

/// "expected JSON, got "tru}" at byte 7 (invalid literal)".
/// \param otherwise  what is said where the text is found to be JSON all the same
std::string fault_of(std::string_view line, std::string_view otherwise);

}  // namespace pappus::formats
