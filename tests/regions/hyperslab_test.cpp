// Every so-manieth place of a box: how many there are, and which boxes have some.
#include "regions/hyperslab.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "regions/parts.h"

namespace pappus::regions {
namespace {

bool is_in(const hyperslab& all, const point& one) {
  for (std::size_t d = 0; d < all.bounds.rank; ++d)
    if ((one[d] - all.bounds.low[d]) % all.steps[d] != 0) return false;
  return contains(all.bounds, one);
}

TEST(hyperslab, has_the_places_that_are_counted) {
  std::mt19937 random(5);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    hyperslab all{box(3)};
    for (std::size_t d = 0; d < 3; ++d) {
      all.steps[d] = from(1, 5);
      all.bounds.low[d] = from(-10, 10);
      all.bounds.high[d] = all.bounds.low[d] + all.steps[d] * from(0, 4) + 1;
    }
    std::int64_t counted = 0;
    each_place(all.bounds, [&](const point& one) { counted += is_in(all, one) ? 1 : 0; });
    EXPECT_EQ(counted, all.count(0) * all.count(1) * all.count(2));

    box part(3);
    for (std::size_t d = 0; d < 3; ++d) {
      part.low[d] = from(all.bounds.low[d] - 3, all.bounds.high[d] - 1);
      part.high[d] = std::max(part.low[d], all.bounds.low[d]) + from(1, 6);
    }
    bool some = false;
    each_place(part, [&](const point& one) { some = some || is_in(all, one); });
    EXPECT_EQ(has_place_in(all, part), some);
  }
}

}  // namespace
}  // namespace pappus::regions
