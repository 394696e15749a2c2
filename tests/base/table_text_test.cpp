// Rows as text: widths, what doesn't fit, and how values are spelled.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/detail/base/field_names.h"
#include "pappus/detail/base/table_text.h"
#include "pappus/records.h"

namespace pappus::detail {
namespace {

using columns = std::vector<shown_column>;

TEST(table_text, has_columns_beneath_their_names) {
  EXPECT_EQ(table_text(columns{{"to", "text", false, {"Rome", "Zürich", ""}},
                               {"miles", "f64", true, {"512", "1.25", "NaN"}}},
                       0),
            "to      miles\n"
            "text      f64\n"
            "Rome      512\n"
            "Zürich   1.25\n"
            "          NaN\n");
  EXPECT_EQ(table_text(columns{{"a", "i32", true, {}}}, 0), "  a\ni32\n");
  EXPECT_EQ(table_text({}, 80), "");
}

TEST(table_text, names_the_columns_that_do_not_fit) {
  const columns all{{"first", "text", false, {"abcdef"}},
                    {"second", "text", false, {"x"}},
                    {"third", "text", false, {"y"}}};
  const std::string two = "first   second\ntext    text\nabcdef  x\n1 more columns: third\n";
  EXPECT_EQ(table_text(all, 20), two);
  EXPECT_EQ(table_text(all, 14), two);
  EXPECT_EQ(table_text(all, 13), "first\ntext\nabcdef\n2 more columns: second, third\n");
  EXPECT_EQ(table_text(all, 1), table_text(all, 13)) << "one is always there";
  EXPECT_EQ(table_text(all, 21), table_text(all, 0));
}

TEST(table_text, spells_numbers_texts_and_moments) {
  EXPECT_EQ(text_of_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(text_of_number(-1e300), "-1e+300");
  EXPECT_EQ(text_of_number(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(text_of_number(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text_of_number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text_of_number(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(text_of_text("a\tb\r\n\x01\x7F"), "a\\tb\\r\\n\\x01\\x7f");
  EXPECT_EQ(text_of_text(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(text_of_text(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(text_of_text(std::string(41, 'x')), std::string(40, 'x') + "…");
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "ü";
  EXPECT_EQ(text_of_text(umlauts), umlauts);
  EXPECT_EQ(text_of_text(umlauts + "ü"), umlauts + "…");
  EXPECT_EQ(text_of_date(0), "1970-01-01");
  EXPECT_EQ(text_of_date(-1), "1969-12-31");
  EXPECT_EQ(text_of_date(19'782), "2024-02-29");
  EXPECT_EQ(text_of_date(std::numeric_limits<std::int32_t>::max()), "5881580-07-11");
  EXPECT_EQ(text_of_date(std::numeric_limits<std::int32_t>::min()), "-5877641-06-23");
  EXPECT_EQ(text_of_date(-146'097), "1570-01-01");
  EXPECT_TRUE(
      text_of_timestamp(std::numeric_limits<std::int64_t>::max()).starts_with("294247-01-10"));
  EXPECT_EQ(text_of_timestamp(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(text_of_timestamp(86'400'000'000 + 3'723'000'000), "1970-01-02 01:02:03");
}

struct flight {
  std::string_view carrier;
  int delay_;
  double of2, a;
};
template <typename T>
struct holder {
  T held;
  std::array<T, 2> pair_of;
};

TEST(names_of_fields, are_those_of_the_struct) {
  static_assert(names_of_fields<flight>() ==
                std::array<std::string_view, 4>{"carrier", "delay_", "of2", "a"});
  static_assert(names_of_fields<holder<flight>>() ==
                std::array<std::string_view, 2>{"held", "pair_of"});
  static_assert(names_of_fields<keyed<int, holder<float>>>() ==
                std::array<std::string_view, 2>{"key", "value"});
  struct packed {
    unsigned a : 3;
    int b;
  };
  static_assert(names_of_fields<packed>() == std::array<std::string_view, 2>{});
  struct local {
    int x, y;
  };
  EXPECT_EQ(names_of_fields<local>()[1], "y");
  const auto made = [] {
    struct inside {
      flight f;
    };
    return inside{};
  };
  EXPECT_EQ(names_of_fields<decltype(made())>()[0], "f");
}

}  // namespace
}  // namespace pappus::detail
