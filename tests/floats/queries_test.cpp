// Whole queries with fast floats against the same arithmetic in doubles, on the CPU and on OpenCL.
// Built by pappus_enable(target FLOATS fast).
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace pappus {
namespace {

constexpr unsigned query_seed = 2026;
constexpr int dimensions = 20;

struct option_data {
  float spot, strike, years;
};
struct price_pair {
  float call, put;
};
struct place {
  std::array<float, dimensions> x;
};

template <typename T>
std::pair<T, T> price(T spot, T strike, T years) {
  const T rate = T(0.02), volatility = T(0.3), spread = volatility * std::sqrt(years);
  const T d1 = (std::log(spot / strike) + (rate + volatility * volatility / 2) * years) / spread;
  const auto normal = [](T d) { return std::erfc(-d * T(0.70710678118654752440)) / 2; };
  const T n1 = normal(d1), n2 = normal(d1 - spread), paid = strike * std::exp(-rate * years);
  return {spot * n1 - paid * n2, paid * (1 - n2) - spot * (1 - n1)};
}

template <typename T>
T nearest(const place& p, std::span<const place> centers) {
  T best = std::numeric_limits<T>::infinity();
  for (const auto& center : centers) {
    T sum = 0;
    for (int d = 0; d < dimensions; ++d)
      sum += (T(p.x[d]) - center.x[d]) * (T(p.x[d]) - center.x[d]);
    best = sum < best ? sum : best;
  }
  return best;
}

class fast_floats : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ::setenv("POCL_DEVICES", "basic", 0);
    s_.emplace(options{.threads = 2, .devices = GetParam()});
    if (GetParam() == std::string("cpu")) return;
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "built without the compiler plugin";
#else
    if (s_->range(0, 8).explain_analyze().find("ran on opencl:0") == std::string::npos)
      GTEST_SKIP() << "no OpenCL device";
#endif
  }
  /// A query of this parameter's session; on a device its code must say that floats are fast.
  template <typename Query>
  static auto collected(const Query& query) {
    if (GetParam() != std::string("cpu")) {
      EXPECT_THAT(query.explain(), ::testing::HasSubstr("\n      FAST_FLOATS\n"));
    }
    return query.collect();
  }
  std::optional<session> s_;
  std::mt19937 random_{query_seed};
};
INSTANTIATE_TEST_SUITE_P(everywhere, fast_floats, ::testing::Values("cpu", "opencl:0"),
                         [](const auto& info) {
                           return std::string(info.param) == "cpu" ? "cpu" : "opencl";
                         });

TEST_P(fast_floats, price_options) {
  std::vector<option_data> rows(10'007);
  const auto between = [&](float a, float b) {
    return std::uniform_real_distribution<float>(a, b)(random_);
  };
  for (auto& row : rows) row = {between(5, 30), between(1, 100), between(0.25f, 10)};
  const auto got = collected(s_->borrow(rows).map([](const option_data& o) {
    const auto [call, put] = price(o.spot, o.strike, o.years);
    return price_pair{call, put};
  }));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [call, put] = price<double>(rows[i].spot, rows[i].strike, rows[i].years);
    ASSERT_NEAR(got[i].call, call, 2e-5 * rows[i].strike) << i << ", seed " << query_seed;
    ASSERT_NEAR(got[i].put, put, 2e-5 * rows[i].strike) << i << ", seed " << query_seed;
  }
}

TEST_P(fast_floats, price_what_has_no_price) {
  constexpr float infinite = std::numeric_limits<float>::infinity(), nan = NAN;
  const std::vector<option_data> special{{nan, 10, 1}, {10, nan, 1},      {10, 10, nan},
                                         {0, 10, 1},   {10, infinite, 1}, {infinite, 10, 1},
                                         {10, 10, 0},  {-1, 10, 1},       {10, 20, 1}};
  std::vector<option_data> rows;
  for (int i = 0; i < 50; ++i) rows.insert(rows.end(), special.begin(), special.end());
  const auto got = collected(s_->borrow(rows).map([](const option_data& o) {
    const auto [call, put] = price(o.spot, o.strike, o.years);
    return price_pair{call, put};
  }));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [call, put] = price(rows[i].spot, rows[i].strike, rows[i].years);
    EXPECT_EQ(std::isnan(got[i].call), std::isnan(call)) << i;
    EXPECT_EQ(std::isnan(got[i].put), std::isnan(put)) << i;
    EXPECT_EQ(std::isinf(got[i].call), std::isinf(call)) << i;
    EXPECT_EQ(std::isinf(got[i].put), std::isinf(put)) << i;
  }
}

TEST_P(fast_floats, find_the_nearest_centre) {
  std::vector<place> points(5'003);
  for (auto& point : points)
    for (auto& x : point.x) x = std::uniform_real_distribution<float>(-1, 1)(random_);
  points[17].x[3] = NAN;
  points[18].x[3] = std::numeric_limits<float>::infinity();
  const std::vector<place> centers(points.begin(), points.begin() + 7);
  const auto got = collected(s_->borrow(points).map(
      [](const place& p, std::span<const place> all) { return nearest<float>(p, all); },
      s_->borrow(centers).shared()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double expected = nearest<double>(points[i], centers);
    if (std::isinf(expected))
      ASSERT_EQ(got[i], expected) << i;
    else
      ASSERT_NEAR(got[i], expected, 1e-5 * expected) << i << ", seed " << query_seed;
  }
}

}  // namespace
}  // namespace pappus
