#include "pappus/columns.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::testing {
namespace {

using detail::cell;
using detail::column_binding;
using detail::layout_of;

struct plain {
  std::int32_t a;
  double b;
  bool c;
  std::string_view d;
  date e;
  timestamp f;
  std::array<float, 20> g;
};

std::string text_of(const std::vector<column_binding>& columns) {
  std::string text;
  for (const column_binding& column : columns) {
    text += column.name + ':' + std::to_string(static_cast<int>(column.type)) + '@' +
            std::to_string(column.offset) + 'x' + std::to_string(column.count) + ' ';
  }
  return text;
}

std::string expected(cell type, std::size_t offset, std::size_t count = 1) {
  return ":" + std::to_string(static_cast<int>(type)) + '@' + std::to_string(offset) + 'x' +
         std::to_string(count) + ' ';
}

TEST(columns, bind_a_name_to_the_type_and_offset_of_a_field) {
  const auto binding = column("distance", &plain::b);
  EXPECT_EQ(text_of({binding}), "distance" + expected(cell::f64, offsetof(plain, b)));
  EXPECT_EQ(text_of({column("x", &plain::g)}), "x" + expected(cell::f32, offsetof(plain, g), 20));
}

TEST(columns, bind_fields_of_records_without_a_default_constructor) {
  struct record {
    explicit record(int v) : first(v), second(v) {}
    int first;
    long second;
  };
  EXPECT_EQ(text_of({column("v", &record::second)}),
            "v" + expected(cell::i64, offsetof(record, second)));
}

TEST(columns, know_integers_by_size_and_sign) {
  struct integers {
    signed char a;
    short b;
    long long c;
    unsigned char d;
    unsigned e;
    std::size_t f;
  };
  EXPECT_EQ(text_of(layout_of<integers>().columns),
            expected(cell::i8, 0) + expected(cell::i16, 2) + expected(cell::i64, 8) +
                expected(cell::u8, 16) + expected(cell::u32, 20) + expected(cell::u64, 24));
}

TEST(columns, are_found_in_the_type_of_a_record) {
  EXPECT_EQ(
      text_of(layout_of<plain>().columns),
      expected(cell::i32, offsetof(plain, a)) + expected(cell::f64, offsetof(plain, b)) +
          expected(cell::boolean, offsetof(plain, c)) + expected(cell::string, offsetof(plain, d)) +
          expected(cell::date, offsetof(plain, e)) + expected(cell::timestamp, offsetof(plain, f)) +
          expected(cell::f32, offsetof(plain, g), 20));
  EXPECT_EQ(text_of(layout_of<double>().columns), expected(cell::f64, 0));
  EXPECT_EQ(text_of(layout_of<std::array<int, 3>>().columns), expected(cell::i32, 0, 3));
}

struct empty {};
struct with_array {
  int a[3];
  double b;
};
struct with_texts {
  std::string_view a[2];
};
struct nested {
  int a;
  plain b;
};
struct derived : plain {
  int h;
};
struct bits {
  int a : 3;
  int b : 4;
};
#define EIGHT_MEMBERS(x) std::int32_t x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7
#define SIXTY_FOUR_MEMBERS \
  EIGHT_MEMBERS(a);        \
  EIGHT_MEMBERS(b);        \
  EIGHT_MEMBERS(c);        \
  EIGHT_MEMBERS(d);        \
  EIGHT_MEMBERS(e);        \
  EIGHT_MEMBERS(f);        \
  EIGHT_MEMBERS(g);        \
  EIGHT_MEMBERS(h)
struct nine_members {
  EIGHT_MEMBERS(a);
  double last;
};
struct sixty_four_members {
  SIXTY_FOUR_MEMBERS;
};
struct more_members {
  SIXTY_FOUR_MEMBERS;
  bool last;
};
#undef SIXTY_FOUR_MEMBERS
#undef EIGHT_MEMBERS

TEST(columns, are_unknown_where_the_type_can_not_be_seen_through) {
  EXPECT_TRUE(layout_of<empty>().columns.empty());
  EXPECT_TRUE(layout_of<with_array>().columns.empty());
  EXPECT_TRUE(layout_of<with_texts>().columns.empty());
  EXPECT_TRUE(layout_of<nested>().columns.empty());
  EXPECT_TRUE(layout_of<derived>().columns.empty());
  EXPECT_TRUE(layout_of<bits>().columns.empty());
  EXPECT_TRUE(layout_of<more_members>().columns.empty());
  EXPECT_EQ(layout_of<more_members>().bytes, sizeof(more_members));
}

TEST(date, counts_days_of_the_gregorian_calendar) {
  EXPECT_EQ(date::of(1970, 1, 1).days, 0);
  EXPECT_EQ(date::of(2000, 3, 1).days, 11'017);
  EXPECT_EQ(date::of(1969, 12, 31).days, -1);
  EXPECT_EQ(date::of(2023, 2, 29), date::of(2023, 3, 1));
  EXPECT_EQ(date::of(2024, 2, 29).year(), 2024);
  EXPECT_EQ(date::of(2024, 2, 29).month(), 2U);
  EXPECT_EQ(date::of(2024, 2, 29).day(), 29U);
  EXPECT_LT(date::of(1999, 12, 31), date::of(2000, 1, 1));
}

TEST(timestamp, lies_in_a_day_also_before_1970) {
  EXPECT_EQ(timestamp{-1}.date(), date::of(1969, 12, 31));
  EXPECT_EQ(timestamp{0}.date(), date::of(1970, 1, 1));
  EXPECT_EQ(timestamp{-86'400'000'000}.date(), date::of(1969, 12, 31));
}

TEST(columns, of_records_without_names_are_up_to_64) {
  const auto nine = layout_of<nine_members>().columns;
  ASSERT_EQ(nine.size(), 9);
  EXPECT_EQ(text_of({nine.back()}), expected(cell::f64, offsetof(nine_members, last)));
  const auto all = layout_of<sixty_four_members>().columns;
  ASSERT_EQ(all.size(), 64);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(text_of({all[i]}), expected(cell::i32, i * sizeof(std::int32_t)));
}

TEST(columns, are_none_of_records_that_begin_with_a_c_array) {
  struct with_array {
    std::int32_t all[12];
    bool last;
  };
  EXPECT_TRUE(layout_of<with_array>().columns.empty());
}

}  // namespace
}  // namespace pappus::testing
