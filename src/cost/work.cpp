#include "cost/work.h"

#include <algorithm>

namespace pappus::cost {
namespace {

// Simple instructions that take as long, on two cores of an AMD EPYC (Zen 5) that do some 5 of them
// a nanosecond in loops such as bench/system's (machine::core_gops). Divisions: a core starts one
// of doubles in 4 to 5 cycles, and 2 to 4 simple instructions in one. Maths: Black-Scholes and
// haversine of 1e7 rows took 16 ns a call of glibc 2.36, and 2 ns where vectors went through
// libmvec.
constexpr double wide_instruction = 0.25, division = 10, maths_call = 80, vector_maths_call = 10;

}  // namespace

double work::total() const noexcept {
  return simple + wide_instruction * wide + division * divisions + maths_call * maths +
         vector_maths_call * vector_maths;
}

work& work::operator+=(const work& other) noexcept {
  simple += other.simple;
  wide += other.wide;
  divisions += other.divisions;
  maths += other.maths;
  vector_maths += other.vector_maths;
  return *this;
}

work row_work::of_row(const std::vector<double>& side_rows) const {
  work all;
  for (const auto& term : terms) {
    double times = 1;
    for (const auto side : term.sides) times *= side < side_rows.size() ? side_rows[side] : 1;
    all += term.each * times;
  }
  return all;
}

}  // namespace pappus::cost
