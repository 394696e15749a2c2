// RUN FAST | -DPAPPUS_FAST_FLOATS -march=x86-64-v3
// RUN STRICT | -march=x86-64-v3
// What may be rounded otherwise with fast floats, and what may not.
#include <cmath>
#include <complex>

#include "compiler/thunks.h"
#include "pappus/reducers.h"

struct total {
  double sum = 0;
  void accumulate(const double& x) { sum += x * 3; }
};
using variance = pappus::reducers::variance<double>;

inline double helper(double x) { return x * x + 1; }

void slots() {
  thunks::element<double, double>([](double x) { return helper(x); });
  thunks::element<bool, double>([](double x) { return std::isnan(x) || std::isinf(x); });
  thunks::reducer<total, double>();
  thunks::reducer<variance, double>();
}

// FAST-LABEL: @of_a_query(
// FAST: fmul reassoc nsz arcp contract afn double
// FAST-NEXT: fadd reassoc nsz arcp contract afn double
// STRICT-LABEL: @of_a_query(
// STRICT: fmul double
// STRICT-NEXT: fadd double
extern "C" double of_a_query(double x) { return helper(x); }

// FAST-LABEL: @of_no_query(
// FAST: fmul double
// FAST-NEXT: fadd double
// STRICT-LABEL: @of_no_query(
// STRICT: fmul double
extern "C" double of_no_query(double x) { return x * x + 1; }

// FAST-LABEL: @of_a_reducer(
// FAST: fmul reassoc nsz arcp contract afn double
// FAST: fadd reassoc nsz arcp contract afn double
extern "C" void of_a_reducer(total& state, double x) { state.accumulate(x); }

// FAST-LABEL: @of_our_reducer(
// FAST-NOT: reassoc
// FAST: ret void
extern "C" void of_our_reducer(variance& state, double x) { state.accumulate(x); }
