#include "pappus/detail/base/integers.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

namespace pappus::detail {
namespace {

TEST(ceil_div, counts_the_last_piece_that_is_not_full) {
  static_assert(ceil_div(0, 4) == 0);
  EXPECT_EQ(ceil_div(1, 4), 1);
  EXPECT_EQ(ceil_div(4, 4), 1);
  EXPECT_EQ(ceil_div(5, 4), 2);
}

TEST(round_up, gives_the_least_multiple_that_is_not_below) {
  static_assert(round_up(0, 64) == 0);
  EXPECT_EQ(round_up(1, 64), 64);
  EXPECT_EQ(round_up(64, 64), 64);
  EXPECT_EQ(round_up(65, 64), 128);
  EXPECT_EQ(round_up(10, 3), 12);
}

TEST(integers, have_the_type_of_the_number_and_do_not_overflow_on_the_way) {
  static_assert(std::is_same_v<decltype(ceil_div(std::uint8_t{3}, 2)), std::uint8_t>);
  static_assert(std::is_same_v<decltype(round_up(std::size_t{3}, 2)), std::size_t>);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ceil_div(most, 2), most / 2 + 1);
  EXPECT_EQ(ceil_div(most, most), 1);
  EXPECT_EQ(round_up(most - 1, 2), most - 1);
}

}  // namespace
}  // namespace pappus::detail
