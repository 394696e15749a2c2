// Tests of kernels on rows few enough for an interpreter of kernels.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdlib>
#include <string_view>

namespace pappus::testing {

/// Whether PAPPUS_TEST_ROWS=few asks for OpenCL and its reference only, on so few rows that
/// oclgrind can interpret kernels. All kernels run all the same: tests/kernels_covered.py holds
/// them against those of the usual sizes.
inline bool few_rows() {
  static const bool few = [] {
    const char* const wanted = std::getenv("PAPPUS_TEST_ROWS");
    return wanted != nullptr && std::string_view(wanted) == "few";
  }();
  return few;
}

/// n rows; with few_rows() at most `few`.
template <std::integral I>
I up_to(I n, I few = 1501) {
  return few_rows() ? std::min(n, few) : n;
}

}  // namespace pappus::testing
