// Different keys among some, against a set.
#include "pappus/detail/base/count_different.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/detail/base/hash.h"

namespace pappus::algorithms {
namespace {

template <typename Key>
void expect_set(std::vector<Key> keys) {
  const std::unordered_set<Key> different(keys.begin(), keys.end());
  auto sorted = keys;
  std::ranges::sort(sorted);
  EXPECT_EQ(detail::count_different(std::span(keys)), std::ssize(different));
  std::ranges::sort(keys);
  EXPECT_EQ(keys, sorted);  // the same ones
}

template <typename Key>
void expect_sets() {
  std::mt19937_64 random(6);
  for (const std::size_t n : {0u, 1u, 2u, 3u, 100u, 12'287u, 12'288u, 12'289u, 20'000u, 300'000u})
    for (const std::uint64_t values : {1u, 2u, 12'000u, 100'000u, 4'000'000'000u}) {
      SCOPED_TRACE(::testing::Message() << n << " keys of " << values);
      std::vector<Key> keys(n);
      for (Key& key : keys) key = static_cast<Key>(random() % values);
      expect_set(keys);
      for (std::size_t i = 0; i < n; i += 3) keys[i] = detail::reserved_key<Key>();
      expect_set(keys);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i << 12);
      expect_set(keys);
    }
}

TEST(count_different, finds_as_many_as_a_set_has) {
  expect_sets<std::uint32_t>();
  expect_sets<std::uint64_t>();
}

}  // namespace
}  // namespace pappus::algorithms
