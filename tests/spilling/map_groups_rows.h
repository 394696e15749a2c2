// What tests of map_groups with little memory share: rows, a function of groups, and the groups
// that a sequential program finds.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_map_groups {

using testing::scaled_mib;
using testing::spill_folder;

inline constexpr std::size_t plenty = 2048 * scaled_mib;

struct item {
  std::int64_t key, row;
};
struct group {
  double key;
  std::int64_t rows, mixed;
  bool operator==(const group&) const = default;
};

enum class shape { random, few, sorted, backwards, hot, one_key, all_different };

inline std::vector<item> items_of(shape which, std::int64_t n, std::int64_t groups) {
  std::mt19937_64 random(static_cast<unsigned>(which) + 1);
  std::vector<item> made;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(groups));
    const std::int64_t key = which == shape::sorted          ? i * groups / n
                             : which == shape::backwards     ? (n - i) * groups / n
                             : which == shape::hot           ? (i % 4 != 0 ? groups / 2 : any)
                             : which == shape::one_key       ? 7
                             : which == shape::all_different ? i * 7'919 % n
                             : which == shape::few           ? any % 7
                                                             : any;
    made.push_back({key, i});
  }
  return made;
}

/// Depends on the records and their order.
template <typename Rows>
std::int64_t mixed(const Rows& rows) {
  std::uint64_t sum = 7;
  for (const auto& one : rows) sum = sum * 31 + static_cast<std::uint64_t>(one.row);
  return static_cast<std::int64_t>(sum >> 1);
}

/// For keys that can be shown as numbers.
struct mapped {
  template <typename K, typename T>
  group operator()(const K& key, std::span<const T> rows) const {
    return {static_cast<double>(key), static_cast<std::int64_t>(rows.size()), mixed(rows)};
  }
};

/// What map_groups() should yield: by one thread, in one map.
template <typename Key>
std::vector<group> reference(const std::vector<item>& items, Key key, std::int64_t domain = 0) {
  std::map<double, std::vector<item>> groups;
  for (std::int64_t k = 0; k < domain; ++k) groups[static_cast<double>(k)];
  std::vector<item> without_number;  // NaN comes last
  for (const auto& one : items) {
    const double own = static_cast<double>(key(one)) + 0.0;  // not -0.0
    (own != own ? without_number : groups[own]).push_back(one);
  }
  std::vector<group> made;
  for (const auto& [own, rows] : groups) made.push_back(mapped()(own, std::span(rows)));
  if (!without_number.empty())
    made.push_back(mapped()(std::nan(""), std::span<const item>(without_number)));
  return made;
}

inline bool same(const std::vector<group>& a, const std::vector<group>& b) {
  return std::ranges::equal(a, b, [](const group& x, const group& y) {
    return std::bit_cast<std::array<std::int64_t, 3>>(x) ==
           std::bit_cast<std::array<std::int64_t, 3>>(y);
  });
}

}  // namespace pappus::spilled_map_groups
