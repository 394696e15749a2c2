// What a call is refused with.
#pragma once

#include <functional>
#include <regex>
#include <string>

#include "pappus/error.h"

namespace pappus::testing {

/// "nothing" where it isn't. Lines of tests are given as N: "checks_test.cpp:N".
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const usage_error& e) {
    return std::regex_replace(e.what(), std::regex("_test.cpp:[0-9]+"), "_test.cpp:N");
  }
  return "nothing";
}

}  // namespace pappus::testing
