// Functions of <cmath> in queries with fast floats: infinities, NaNs and subnormal numbers are what
// they are in C++, everything else is close. Built by pappus_enable(target FLOATS fast).
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

constexpr unsigned seed = 2026;

/// Numbers at which functions do something of their own, then numbers of all magnitudes.
template <typename T>
std::vector<T> arguments() {
  using limits = std::numeric_limits<T>;
  const std::vector<T> special{0,
                               -T{0},
                               limits::infinity(),
                               -limits::infinity(),
                               limits::quiet_NaN(),
                               limits::denorm_min(),
                               -limits::denorm_min(),
                               limits::min(),
                               limits::max(),
                               limits::lowest(),
                               limits::epsilon(),
                               1,
                               -1,
                               std::nextafter(T{1}, T{2}),
                               std::nextafter(T{1}, T{0}),
                               T{0.5},
                               -2,
                               3,
                               T{88.5},
                               -T{88.5},
                               T{709.5},
                               -T{745},
                               1000,
                               -1000,
                               T{1e30}};
  std::vector<T> all = special;
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(limits::min_exponent / 4, limits::max_exponent / 4);
  std::uniform_real_distribution<T> usual(-20, 20);
  for (int i = 0; i < 5000; ++i) {
    all.push_back(std::ldexp(mantissa(random), exponent(random)));
    all.push_back(usual(random));
  }
  // One at a time in the middle of usual numbers, and several side by side.
  for (const T x : special) {
    for (int i = 0; i < 17; ++i) all.push_back(usual(random));
    all.push_back(x);
  }
  return all;
}

/// Whether the query's value may stand for the one that C++ computes.
/// \param units  of the last place of T at the exact value, that both may be away from it.
template <typename T>
bool close(T got, T expected, int units) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  const T next = std::nextafter(std::abs(expected), std::numeric_limits<T>::infinity());
  const T unit =
      std::isinf(next) ? expected * std::numeric_limits<T>::epsilon() : next - std::abs(expected);
  return std::abs(got - expected) <= units * std::abs(unit);
}

/// \param function  a generic lambda, for float and double.
template <typename T, typename F>
void expect_close_in(const char* name, const F& function, const options& where) {
  const auto in = arguments<T>();
  session s(where);
  const auto got = s.borrow(in).map([=](T x) { return function(x); }).collect();
  ASSERT_EQ(got.size(), in.size());
  // glibc promises 4 units of each of its functions, OpenCL up to 16.
  const int units = where.devices == "cpu" ? 8 : 24;
  int wrong = 0;
  for (std::size_t i = 0; i < in.size() && wrong < 5; ++i) {
    const T expected = function(in[i]);
    if (close(got[i], expected, units)) continue;
    ++wrong;
    ADD_FAILURE() << name << " of " << (sizeof(T) == 4 ? "float " : "double ") << in[i] << " on "
                  << where.devices << ": expected " << expected << ", got " << got[i] << ", seed "
                  << seed;
  }
}

template <typename F>
void expect_close(const char* name, const F& function) {
  const options cpu{.threads = 2, .devices = "cpu"};
  expect_close_in<float>(name, function, cpu);
  expect_close_in<double>(name, function, cpu);
}

TEST(fast_cmath, of_exponentials_and_logarithms) {
  expect_close("exp", [](auto x) { return std::exp(x); });
  expect_close("exp2", [](auto x) { return std::exp2(x); });
  expect_close("expm1", [](auto x) { return std::expm1(x); });
  expect_close("log", [](auto x) { return std::log(x); });
  expect_close("log2", [](auto x) { return std::log2(x); });
  expect_close("log10", [](auto x) { return std::log10(x); });
  expect_close("log1p", [](auto x) { return std::log1p(x); });
}

TEST(fast_cmath, of_angles) {
  expect_close("sin", [](auto x) { return std::sin(x); });
  expect_close("cos", [](auto x) { return std::cos(x); });
  expect_close("tan", [](auto x) { return std::tan(x); });
  expect_close("asin", [](auto x) { return std::asin(x); });
  expect_close("acos", [](auto x) { return std::acos(x); });
  expect_close("atan", [](auto x) { return std::atan(x); });
}

TEST(fast_cmath, of_hyperbolic_functions) {
  expect_close("sinh", [](auto x) { return std::sinh(x); });
  expect_close("cosh", [](auto x) { return std::cosh(x); });
  expect_close("tanh", [](auto x) { return std::tanh(x); });
  expect_close("asinh", [](auto x) { return std::asinh(x); });
  expect_close("acosh", [](auto x) { return std::acosh(x); });
  expect_close("atanh", [](auto x) { return std::atanh(x); });
}

TEST(fast_cmath, of_roots_powers_and_errors) {
  expect_close("sqrt", [](auto x) { return std::sqrt(x); });
  expect_close("cbrt", [](auto x) { return std::cbrt(x); });
  expect_close("erf", [](auto x) { return std::erf(x); });
  expect_close("erfc", [](auto x) { return std::erfc(x); });
  expect_close("pow(x, 1.7)", [](auto x) { return std::pow(x, decltype(x)(1.7)); });
  expect_close("pow(1.3, x)", [](auto x) { return std::pow(decltype(x)(1.3), x); });
  expect_close("pow(x, x)", [](auto x) { return std::pow(x, x); });
  expect_close("hypot(x, 2)", [](auto x) { return std::hypot(x, decltype(x)(2)); });
  expect_close("atan2(x, 3)", [](auto x) { return std::atan2(x, decltype(x)(3)); });
  expect_close("atan2(-3, x)", [](auto x) { return std::atan2(decltype(x)(-3), x); });
}

TEST(fast_cmath, tells_infinities_and_nans_apart) {
  for (const char* devices : {"cpu", "opencl:0"}) {
    SCOPED_TRACE(devices);
    const auto in = arguments<double>();
    session s(options{.threads = 2, .devices = devices});
    const auto got = s.borrow(in)
                         .map([](double x) {
                           const double y = x - x;  // NaN of infinities
                           return (std::isnan(x) ? 1 : 0) + (std::isinf(x) ? 2 : 0) +
                                  (std::isnan(y) ? 4 : 0) + (x == x ? 8 : 0) + (x < 1e300 ? 16 : 0);
                         })
                         .collect();
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int expected = (std::isnan(in[i]) ? 1 : 0) + (std::isinf(in[i]) ? 2 : 0) +
                           (std::isfinite(in[i]) ? 0 : 4) + (std::isnan(in[i]) ? 0 : 8) +
                           (in[i] < 1e300 ? 16 : 0);
      ASSERT_EQ(got[i], expected) << in[i];
    }
  }
}

}  // namespace
}  // namespace pappus
