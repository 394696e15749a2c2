// Parts of items: all indices once, in their order, whatever the pace.
#include "run/pace.h"

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "regions/parts.h"

namespace pappus::run {
namespace {

TEST(pace, gives_all_indices_once_in_their_order) {
  std::mt19937_64 random(1);
  const auto from = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 300; ++round) {
    regions::box all(static_cast<std::size_t>(from(1, 4)));
    for (std::size_t d = 0; d < all.rank; ++d) {
      all.low[d] = from(-3, 3);
      all.high[d] = all.low[d] + from(0, all.rank == 1 ? 20'000 : all.rank == 2 ? 150 : 12);
    }
    const grain cut{static_cast<std::size_t>(from(0, static_cast<std::int64_t>(all.rank))),
                    from(0, 1) == 0 ? 1 : from(1, 40), static_cast<std::size_t>(from(0, 3)),
                    from(0, 1) == 0 ? 1 : from(1, 7)};
    pace parts;
    std::int64_t next = 0, looks = 0;
    for (int again = 0; again < 3; ++again, next = 0)
      parts.each_part(
          all, cut, [&] { ++looks; },
          [&](const regions::box& part) {
            ASSERT_FALSE(part.empty() && !all.empty());
            for (std::size_t d = cut.dimensions; d < all.rank; ++d)
              ASSERT_EQ(part.extent(d), all.extent(d));
            if (cut.dimensions > 0 &&
                part.high[cut.dimensions - 1] < all.high[cut.dimensions - 1]) {
              ASSERT_EQ(part.extent(cut.dimensions - 1) % cut.neighbours, 0);
            }
            if (cut.along + 1 < cut.dimensions && part.high[cut.along] < all.high[cut.along]) {
              ASSERT_TRUE(part.extent(cut.along) < cut.together ||
                          part.extent(cut.along) % cut.together == 0);
            }
            regions::each_place(part, [&](const regions::point& at) {
              ASSERT_EQ(regions::number_in(all, at), next++);
            });
          });
    EXPECT_GE(looks, 3);
  }
}

TEST(pace, is_that_of_the_function) {
  const regions::box all({0}, {1'000'000});
  pace slow, quick;
  std::int64_t slow_parts = 0, quick_parts = 0;
  const auto nothing = [] {};
  slow.each_part(all, {1, 1024}, nothing, [&](const auto&) {
    if (++slow_parts < 20) std::this_thread::sleep_for(std::chrono::milliseconds(11));
  });
  for (int item = 0; item < 3; ++item)
    quick.each_part(all, {1, 1024}, nothing, [&](const auto&) { ++quick_parts; });
  EXPECT_GE(slow_parts, 25);
  EXPECT_LE(quick_parts, 30);
}

}  // namespace
}  // namespace pappus::run
