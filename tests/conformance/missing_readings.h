// Records with fields that may be missing, and their order.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/harness.h"

namespace pappus::testing::missing {

struct reading {
  std::int32_t id;
  std::optional<std::int8_t> grade;
  std::optional<std::int32_t> number;
  std::optional<std::int64_t> large;
  std::optional<double> value;
  std::optional<std::string_view> town;
};

/// A third of each field is missing; `known` = 0: all are.
inline std::vector<reading> readings(random& random, std::int64_t n, int known = 2) {
  const std::string_view towns[] = {
      "", "a", "ab", "Delft", "a town with a long name", std::string_view("a\0b", 3)};
  const double values[] = {0.0, -0.0, -1.5, 2.25, 1e300, std::numeric_limits<double>::quiet_NaN()};
  std::vector<reading> made;
  const auto is_there = [&] { return random.between(0, 2) < known; };
  for (std::int64_t i = 0; i < n; ++i) {
    reading one{static_cast<std::int32_t>(i), {}, {}, {}, {}, {}};
    if (is_there()) one.grade = static_cast<std::int8_t>(random.between(-2, 2));
    if (is_there()) one.number = static_cast<std::int32_t>(random.between(-40, 40));
    if (is_there()) one.large = random.between(-3, 3) << 60;
    if (is_there()) one.value = values[random.between(0, 5)];
    if (is_there()) one.town = towns[random.between(0, 5)];
    made.push_back(one);
  }
  return made;
}

/// -1, 0 or 1; NaN is the greatest number, and what is missing is behind all.
template <typename T>
int compared(const std::optional<T>& a, const std::optional<T>& b, bool descending = false) {
  if (!a || !b) return static_cast<int>(!a) - static_cast<int>(!b);
  const auto less = [](const T& x, const T& y) { return reducers::orders_before(x, y); };
  const int order = less(*a, *b) ? -1 : less(*b, *a) ? 1 : 0;
  return descending ? -order : order;
}

struct by_number {
  template <typename T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return compared(a, b) < 0;
  }
};

}  // namespace pappus::testing::missing
