// What can't be right about a launch, told at the call, before anything runs.
//
// Messages name the launch's place in the source, the parameter, what was expected, what is there,
// and what to do about it.
#pragma once

#include <cstdint>

#include "arrays/launch.h"

namespace pappus::arrays {

/// Throws usage_error where
/// - it writes to an array that lies in a file,
/// - the indices are negative in number, or 2^63 and more,
/// - an access lies outside of its array as a whole,
/// - two indices write the same element, or one touches what another writes,
/// - it reads elements that nobody has written.
/// To be called with the mutex of the session's launches locked.
void check(const launch& of);

/// Throws usage_error unless formulas that hold only for numbers below 2^31 are used for such:
/// indices and the elements that they touch.
void check_narrow(const launch& of);

/// Throws usage_error where an access contradicts its parameter's view, or an annotation is silent
/// about a parameter.
void check_annotation(const launch& of);

/// "for_each at heat.cpp:12: out: expected that ..., got ...".
[[noreturn]] void refuse(const launch& of, const std::string& parameter, const std::string& why);

}  // namespace pappus::arrays
