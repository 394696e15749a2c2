// What checks of accesses say.
#pragma once

#include <exception>
#include <regex>
#include <string>

#include "pappus/pappus.h"

namespace pappus::testing {

/// What a launch that failed says to who looks at its results, with N in place of lines. "nothing":
/// none failed.
template <typename F>
std::string told(session& s, F&& launch) {
  static const std::regex lines(R"((\.cpp|\.h):\d+)");
  try {
    launch();
    s.wait();
  } catch (const launch_error& e) {
    try {
      e.rethrow_nested();
    } catch (const usage_error& original) {  // says the same
      if (std::string(original.what()) != e.what()) return original.what();
    } catch (...) {
    }
    return std::regex_replace(e.what(), lines, "$1:N");
  } catch (const std::exception& e) {
    return "at the call: " + std::regex_replace(e.what(), lines, "$1:N");
  }
  return "nothing";
}

}  // namespace pappus::testing
