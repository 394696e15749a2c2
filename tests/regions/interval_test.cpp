#include "regions/interval.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up.h"

namespace pappus::regions {
namespace {

TEST(interval, divides_towards_zero) {
  EXPECT_EQ(interval(-7, 7) / interval::of(2), interval(-3, 3));
  EXPECT_EQ(interval(-7, 9) / interval(2, 3), interval(-3, 4));
  EXPECT_EQ(interval(5, 9) / interval(-3, -2), interval(-4, -1));
}

TEST(interval, divided_by_what_may_be_zero_is_everything) {
  EXPECT_EQ(interval(5, 9) / interval(0, 2), everything);
  EXPECT_EQ(interval(5, 9) / interval(-1, 1), everything);
  EXPECT_EQ(interval(5, 9) % interval::of(0), everything);
}

TEST(interval, has_the_remainders_of_a_period) {
  EXPECT_EQ(interval(9, 12) % interval::of(8), interval(1, 4));
  EXPECT_EQ(interval(6, 9) % interval::of(8), interval(0, 7));
  EXPECT_EQ(interval(-9, 9) % interval::of(-8), interval(-7, 7));
  EXPECT_EQ(interval(-3, 2) % interval(5, 9), interval(-3, 2));
  EXPECT_EQ(everything % interval::of(8), interval(-7, 7));
}

TEST(interval, that_leaves_64_bits_is_everything) {
  EXPECT_EQ(interval(0, highest - 1) + interval::of(2), everything);
  EXPECT_EQ(interval(lowest + 1, 0) - interval::of(2), everything);
  EXPECT_EQ(interval(0, std::int64_t{1} << 32) * interval::of(std::int64_t{1} << 31), everything);
  EXPECT_EQ(interval::of(lowest) / interval::of(-1), everything);
  EXPECT_EQ(interval::of(3) << interval::of(62), everything);
  EXPECT_EQ(interval::of(highest - 1) + interval::of(1), interval::of(highest));
}

TEST(interval, that_is_everything_stays_so) {
  EXPECT_EQ(everything / interval::of(2), everything);
  EXPECT_EQ(everything >> interval::of(1), everything);
  EXPECT_EQ(everything + interval::of(0), everything);
  EXPECT_EQ(interval(5, highest) / interval::of(2), everything);
  EXPECT_EQ(everything * interval::of(0), interval::of(0));
  EXPECT_EQ(least_of(everything, interval(3, 9)), interval(lowest, 9));
  EXPECT_EQ(greatest_of(interval(3, 9), everything), interval(3, highest));
  EXPECT_EQ(everything & interval(0, 15), interval(0, 15));
}

TEST(interval, holds_all_results_and_no_more_where_it_says_so) {
  struct case_of {
    operation what;
    interval result;
    bool exact;
  };
  for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
    made_up from(seed);
    const auto some = [&] {
      const auto low = from.between(-20, 20);
      return interval{low, low + from.between(0, 9)};
    };
    const auto a = some(), b = some();
    const case_of cases[] = {
        {operation::add, a + b, true},
        {operation::subtract, a - b, true},
        {operation::multiply, a * b, true},
        {operation::divide, a / b, true},
        {operation::modulo, a % b, false},
        {operation::least, least_of(a, b), true},
        {operation::greatest, greatest_of(a, b), true},
        {operation::shift_left, a << b, true},
        {operation::shift_right, a >> b, true},
        {operation::bits_and, a & b, false},
        {operation::bits_or, a | b, false},
        {operation::bits_xor, a ^ b, false},
    };
    for (const auto& [what, result, exact] : cases) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", operation " << int(what));
      interval seen = interval::nothing();
      bool defined = true;
      for (auto x = a.low; x <= a.high; ++x) {
        for (auto y = b.low; y <= b.high; ++y) {
          const auto value = value_at(expression::of(what, x, y), {}, {});
          defined &= value.has_value();
          if (!value) continue;
          ASSERT_TRUE(result.holds(*value)) << x << " and " << y << " yield " << *value;
          seen = {std::min(seen.low, *value), std::max(seen.high, *value)};
        }
      }
      if (!defined) {
        ASSERT_EQ(result, everything);
      } else if (exact) {
        ASSERT_EQ(result, seen);
      } else {
        ASSERT_TRUE(result.bounded());
      }
    }
  }
}

}  // namespace
}  // namespace pappus::regions
