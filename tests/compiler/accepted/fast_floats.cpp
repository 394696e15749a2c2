// FLAGS: -DPAPPUS_FAST_FLOATS
// What pappus_enable(target FLOATS fast) allows is written into functions that compute with floats.
#include <array>
#include <cmath>
#include <cstdint>

#include "compiler/thunks.h"
#include "pappus/reducers.h"

struct total {
  double sum = 0;
  void accumulate(const double& x) { sum += x; }
};

void kernels(float rate) {
  using thunks::element;

  element<float, float>([rate](float x) { return x * rate + 1; });

  element<double, std::array<double, 3>>([](const std::array<double, 3>& v) {
    double sum = 0;
    for (const double x : v) sum += x / 3 * x;
    return sum;
  });

  element<double, double>([](double x) { return std::exp(x); });

  // Nothing is rounded here.
  element<std::int64_t, std::int64_t>([](std::int64_t x) { return 3 * x + 1; });
  element<float, float>([](float x) { return x > 1 ? x : 1; });

  thunks::reducer<total, double>();
  // Pappus's own reducers are the same in all programs.
  thunks::reducer<pappus::reducers::variance<double>, double>();
}
