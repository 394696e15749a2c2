#include "regions/expression.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regions/formulas.h"
#include "regions/made_up.h"

namespace pappus::regions {
namespace {

std::string named(const expression& formula) {
  static const std::vector<std::string> indices{"i", "j"}, symbols{"n", "w"};
  return text(formula, {indices, symbols});
}

TEST(expression, is_written_as_c_with_few_parentheses) {
  EXPECT_EQ(named(i - w), "i-w");
  EXPECT_EQ(named(i + -1), "i-1");
  EXPECT_EQ(named(i - -1), "i-(-1)");
  EXPECT_EQ(named(2 * i + 1), "2*i+1");
  EXPECT_EQ(named(2 * (i + j)), "2*(i+j)");
  EXPECT_EQ(named(i - (j - w)), "i-(j-w)");
  EXPECT_EQ(named(i - j - w), "i-j-w");
  EXPECT_EQ(named(i - i % w), "i-i%w");
  EXPECT_EQ(named(i / n * n), "i/n*n");
  EXPECT_EQ(named(n * (i / n)), "n*(i/n)");
  EXPECT_EQ(named(least(i + 1, n - 1)), "min(i+1,n-1)");
  EXPECT_EQ(named(0 - i), "-i");
  EXPECT_EQ(named(j + (0 - i)), "j-i");
  EXPECT_EQ(named(2 * (0 - i)), "2*(-i)");
  EXPECT_EQ(named(expression::of(operation::shift_right, i + 1, 2) + 1), "((i+1)>>2)+1");
  EXPECT_EQ(named(expression::index(3) + expression::symbol(7)), "i3+s7");
}

TEST(expression, has_a_code_that_can_be_read_back) {
  EXPECT_EQ((i + -1).code(), "+ i0 -1");
  EXPECT_EQ((2 * (i - w) / 3).code(), "/ * 2 - i0 s1 3");
  EXPECT_EQ(expression::parse("+ i0 -1"), i + -1);
  EXPECT_EQ(expression::parse("min << 1 s0 i3")->code(), "min << 1 s0 i3");
  EXPECT_EQ(expression(std::numeric_limits<std::int64_t>::min()).code(), "-9223372036854775808");
  for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
    const auto formula = made_up(seed).a_formula(4, 5);
    ASSERT_EQ(expression::parse(formula.code()), formula) << "seed " << seed;
  }
}

TEST(expression, has_no_other_code) {
  for (const auto* code :
       {"",    " ",           "+",       "+ i0", "+ i0 1 2",  "i0 ",
        " i0", "+  i0 1",     "i4",      "i",    "s",         "s-1",
        "i 0", "+1",          "1.5",     "x",    "min(i0,1)", "9223372036854775808",
        "- -", "s4294967296", "pow i0 2"})
    EXPECT_FALSE(expression::parse(code)) << '"' << code << '"';
}

TEST(expression, of_more_terms_than_anyone_writes_is_refused) {
  const auto sum_of = [](int operands) {
    std::string code;
    for (int k = 1; k < operands; ++k) code += "+ 1 ";
    return expression::parse(code + "1");
  };
  EXPECT_TRUE(sum_of(500));
  EXPECT_FALSE(sum_of(501));
}

TEST(expression, takes_values_of_symbols) {
  const auto formula = i * n + w;
  EXPECT_EQ(formula.with(std::vector<std::int64_t>{5, -2}), i * 5 + -2);
  EXPECT_EQ(formula.with(std::vector<std::int64_t>{5}), i * 5 + w);
  EXPECT_TRUE(formula.mentions_index());
  EXPECT_FALSE((n + w).mentions_index());
}

TEST(expression, takes_other_symbols) {
  const auto formula = expression::symbol(2) * i + expression::symbol(0);
  EXPECT_EQ(formula.renumbered(std::vector<std::size_t>{4, 0, 1}),
            expression::symbol(1) * i + expression::symbol(4));
  EXPECT_EQ(formula.renumbered(std::vector<std::size_t>{4}),
            expression::symbol(2) * i + expression::symbol(4));
}

}  // namespace
}  // namespace pappus::regions
