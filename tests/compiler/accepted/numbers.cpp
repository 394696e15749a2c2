// Integers of all widths, floating point, and <cmath>.
#include <cmath>
#include <cstdint>

#include "compiler/thunks.h"

void kernels(double rate) {
  using thunks::element;

  element<std::int8_t, std::int8_t>([](std::int8_t x) { return static_cast<std::int8_t>(x + 1); });

  element<std::uint16_t, std::uint16_t>(
      [](std::uint16_t x) { return static_cast<std::uint16_t>(x << 3); });

  element<std::int64_t, std::int32_t>([](std::int32_t x) { return std::int64_t{x} * x; });

  element<std::uint64_t, std::uint64_t>([](std::uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    return x ^ (x >> 33);
  });

  element<int, double>([](double x) { return static_cast<int>(x); });

  element<float, unsigned long>([](unsigned long x) { return static_cast<float>(x); });

  element<float, float>([](float x) { return std::exp(x) + std::sin(x) * std::pow(x, 3.f); });

  element<double, double>(
      [rate](double x) { return std::log1p(x) / std::sqrt(rate) + std::fabs(x); });

  element<double, double>([](double x) { return std::erfc(-x * 0.70710678118654752440) / 2; });

  element<long, double>([](double x) { return std::lround(x) + std::lrint(x); });

  element<bool, double>([](double x) { return std::isnan(x) || std::isinf(x) || std::signbit(x); });

  element<bool, int>([](int x) { return std::isinf(x > 3 ? static_cast<double>(x) : -7.0); });

  element<float, float>(
      [](float x) { return std::fmin(std::floor(x), std::ceil(x)) + std::trunc(x); });

  element<double, float>([](float x) { return std::hypot(x, 2.0) + std::atan2(1.0, x); });

  element<int, int>([](int x) { return x / 7 + x % 7 + (x >> 2) + ~x; });

  struct bits {
    unsigned a : 3, b : 13, c : 16;
  };
  element<unsigned, bits>([](const bits& x) { return x.a + x.b * x.c; });
}
