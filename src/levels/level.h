// The levels of x86-64's instruction set for which the library's vector kernels are compiled, as
// the psABI numbers them: v2 (SSE4.2), v3 (AVX2), v4 (AVX-512). All else of the library is compiled
// for v2. Machines of other kinds have one level, the compiler's own.
#pragma once

#include <span>
#include <string_view>

namespace pappus::levels {

enum class level : unsigned char { v2, v3, v4 };

/// "x86-64-v3", and with the name of its vectors, "x86-64-v3 (AVX2)".
std::string_view name(level of);
std::string_view description(level of);

/// The levels that this processor has and the library was compiled for, ascending; at least one.
std::span<const level> available();

/// The level of a word, "v3", if it is one of `levels`. Otherwise throws usage_error about
/// PAPPUS_LEVEL.
level level_of(std::string_view word, std::span<const level> levels);

/// What PAPPUS_LEVEL says, otherwise the highest that is available. Throws usage_error for what
/// isn't a level, and for one that this processor lacks.
level level_of_environment();

}  // namespace pappus::levels
