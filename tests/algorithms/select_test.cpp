// Keys by their rank, against sorted ones.
#include "algorithms/select.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::algorithms {
namespace {

enum class shape { any, narrow, equal, two, clustered, ascending, descending };
constexpr shape shapes[] = {shape::any,       shape::narrow,    shape::equal,     shape::two,
                            shape::clustered, shape::ascending, shape::descending};

template <typename Key>
std::vector<Key> keys_of(shape which, std::size_t n, std::mt19937_64& random) {
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto any = static_cast<Key>(random());
    keys[i] = which == shape::any         ? any
              : which == shape::narrow    ? static_cast<Key>(1000 + any % 50)
              : which == shape::equal     ? Key{77}
              : which == shape::two       ? static_cast<Key>(any % 2 == 0 ? 0 : ~Key{0})
              : which == shape::clustered ? static_cast<Key>((any % 3 << 29) + (any >> 9) % 1000)
              : which == shape::ascending ? static_cast<Key>(i)
                                          : static_cast<Key>(n - i);
  }
  return keys;
}

template <typename Key>
void expect_sorted_order() {
  std::mt19937_64 random(5);
  for (const shape which : shapes)
    for (const std::size_t n : {1u, 2u, 3u, 31u, 32u, 33u, 64u, 100u, 1000u, 4099u, 70'001u}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(which) << ", " << n << " keys");
      auto keys = keys_of<Key>(which, n, random);
      auto sorted = keys;
      std::ranges::sort(sorted);
      for (const std::size_t k :
           {std::size_t{0}, n / 20, n / 2, n - n / 20 - 1, n - 1, random() % n, random() % n}) {
        const neighbours<Key> expected{sorted[k], sorted[std::min(k + 1, n - 1)]};
        ASSERT_EQ(select(keys.data(), n, k), expected) << "rank " << k;
      }
      std::ranges::sort(keys);
      ASSERT_EQ(keys, sorted);  // the same ones
    }
}

TEST(select, finds_the_keys_that_sorting_finds) {
  expect_sorted_order<std::uint32_t>();
  expect_sorted_order<std::uint64_t>();
}

}  // namespace
}  // namespace pappus::algorithms
