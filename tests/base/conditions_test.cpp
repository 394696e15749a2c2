#include "base/conditions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "pappus/dates.h"

namespace pappus::base {
namespace {

using detail::cell;
using detail::condition;

constexpr relation relations[] = {relation::less,    relation::at_most, relation::at_least,
                                  relation::greater, relation::equal,   relation::unequal};

template <typename T>
bool holds(relation is, T a, T b) {
  switch (is) {
    case relation::less:
      return a < b;
    case relation::at_most:
      return a <= b;
    case relation::at_least:
      return a >= b;
    case relation::greater:
      return a > b;
    case relation::equal:
      return a == b;
    default:
      return a != b;
  }
}

std::string name_of(const compared_integer& field, relation is, std::uint64_t value) {
  return std::to_string(field.bits) + (field.sign_extended ? " bits by sign" : " bits by zeros") +
         (field.signed_order ? ", signed" : ", unsigned") + ", + " + std::to_string(field.addend) +
         ", relation " + std::to_string(static_cast<int>(is)) + ", " + std::to_string(value);
}

/// What a processor would say of a field of 8 bits.
bool computed(const compared_integer& field, relation is, std::uint64_t value, int bits_of_field) {
  const auto byte = static_cast<std::uint8_t>(bits_of_field);
  const std::uint64_t wide =
      field.sign_extended ? static_cast<std::uint64_t>(static_cast<std::int8_t>(byte)) : byte;
  const auto above = 64 - field.bits;
  const auto a = (wide + field.addend) << above, b = value << above;
  if (!field.signed_order) return holds(is, a, b);
  return holds(is, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

/// All bytes, and all ranges that they lie in.
void expect_right(const compared_integer& field, relation is, std::uint64_t value) {
  SCOPED_TRACE(name_of(field, is, value));
  const auto made = condition_of(field, is, value);
  for (const bool is_signed : {false, true}) {
    const int least = is_signed ? -128 : 0;
    std::vector<bool> truth;
    for (int x = least; x < least + 256; ++x) truth.push_back(computed(field, is, value, x));
    if (!made) {
      ASSERT_TRUE(std::ranges::find(truth, false) == truth.end());
      continue;
    }
    std::vector<bool> found(256, false);
    wide_integer before = -1000;
    for (const auto& [first, last] : allowed(*made, is_signed)) {
      ASSERT_LT(before + 1, first) << "ranges ascend, and don't touch";
      for (auto x = first; x <= last; ++x) found[static_cast<std::size_t>(x - least)] = true;
      before = last;
    }
    ASSERT_EQ(found, truth) << (is_signed ? "signed" : "unsigned");
    for (int from = 0; from < 256; from += 5) {
      bool any = false;
      for (int to = from; to < 256; ++to) {
        any |= truth[static_cast<std::size_t>(to)];
        ASSERT_EQ(may_hold(*made, is_signed, from + least, to + least), any);
      }
    }
  }
}

TEST(conditions, of_integers_are_what_comparing_says) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const std::uint64_t borders[] = {0,   1,   2,      126,       127,       128,          129,
                                   255, 256, 0x7fff, 0x7f'ffff, ~0ULL / 2, ~0ULL / 2 + 1};
  for (int i = 0; i < 400; ++i) {
    const auto some = [&] {
      auto value = borders[random() % std::size(borders)] + random() % 3 - 1;
      return random() % 2 == 0 ? value : 0 - value;
    };
    compared_integer field{.offset = 8, .bytes = 1};
    field.bits = 8U << random() % 4;
    field.sign_extended = random() % 2 == 0;
    field.signed_order = random() % 2 == 0;
    if (random() % 3 != 0) field.addend = some();
    expect_right(field, relations[random() % 6], some());
    if (HasFatalFailure()) return;
  }
}

TEST(conditions, of_wide_integers_reach_to_their_ends) {
  const compared_integer field{.offset = 0, .bytes = 8};
  const auto least = std::numeric_limits<std::int64_t>::min();
  const auto below = condition_of(field, relation::less, static_cast<std::uint64_t>(least + 1));
  EXPECT_TRUE(may_hold(*below, true, least, least));
  EXPECT_FALSE(may_hold(*below, true, least + 1, 5));
  EXPECT_TRUE(condition_of(field, relation::less, static_cast<std::uint64_t>(least))->never);
  EXPECT_FALSE(condition_of(field, relation::at_least, static_cast<std::uint64_t>(least)));
  compared_integer unsigned_field = field;
  unsigned_field.signed_order = false;
  const auto above = condition_of(unsigned_field, relation::greater, ~0ULL - 1);
  EXPECT_TRUE(may_hold(*above, false, 0, wide_integer{~0ULL}));
  EXPECT_FALSE(may_hold(*above, false, 0, wide_integer{~0ULL} - 1));
  EXPECT_TRUE(may_hold(*above, true, -1, -1)) << "its bits are those of the largest";
}

/// (x - 10) < 5 without signs, as compilers make x >= 10 && x < 15.
TEST(conditions, of_differences_are_ranges) {
  const compared_integer field{
      .offset = 4, .bytes = 4, .bits = 32, .addend = 0ULL - 10, .signed_order = false};
  const auto made = condition_of(field, relation::less, 5);
  EXPECT_EQ(allowed(*made, true), (std::vector<integer_range>{{10, 14}}));
  EXPECT_EQ(text(*made, "age", cell::i32), "age >= 10 and age <= 14");
}

TEST(conditions, of_floats_are_what_comparing_says) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double values[] = {-inf, -1e300, -1.5, -0.0, 0.0, 5e-324, 1.5, 1.6, 1e300, inf};
  for (const auto is : relations) {
    for (const double value : values) {
      const auto made = condition_of(0, 8, is, value);
      if (is == relation::unequal) {
        EXPECT_FALSE(made) << "true of NaN";
        continue;
      }
      for (std::size_t from = 0; from < std::size(values); ++from) {
        bool any = false;
        for (std::size_t to = from; to < std::size(values); ++to) {
          any |= holds(is, values[to], value);
          const bool between = values[from] < value && value < values[to];
          EXPECT_EQ(may_hold(*made, values[from], values[to]), any || between)
              << static_cast<int>(is) << ": " << value << " of " << values[from] << " to "
              << values[to];
        }
      }
    }
    const auto made = condition_of(0, 8, is, std::nan(""));
    EXPECT_TRUE(!made || !may_hold(*made, -inf, inf)) << "nothing compares with NaN";
  }
  EXPECT_FALSE(may_hold(*condition_of(0, 8, relation::greater, 1.5), 0, 1.5));
  EXPECT_TRUE(may_hold(*condition_of(0, 8, relation::at_least, 1.5), 0, 1.5));
  EXPECT_FALSE(may_hold(*condition_of(0, 8, relation::less, -1.5), -1.5, 3));
}

/// All texts of up to so many of these characters.
std::vector<std::string> all_texts(std::size_t most) {
  std::vector<std::string> all{""};
  for (std::size_t begin = 0, length = 0; length < most; ++length)
    for (const std::size_t end = all.size(); begin < end; ++begin)
      for (const char c : {'\0', 'b', '\xff'}) all.push_back(all[begin] + c);
  return all;
}

TEST(conditions, of_texts_are_what_comparing_says) {
  const auto texts = all_texts(5), borders = all_texts(3);
  for (const auto& wanted : all_texts(2)) {
    if (wanted.empty()) continue;
    for (const bool whole : {false, true}) {
      const auto made = condition_of(8, 16, wanted, whole);
      for (const auto& least : borders)
        for (const auto& most : borders) {
          if (least > most) continue;
          const bool any = std::ranges::any_of(texts, [&](const std::string& text) {
            return least <= text && text <= most &&
                   (whole ? text == wanted : text.starts_with(wanted));
          });
          ASSERT_EQ(may_hold(made, least, most), any)
              << (whole ? "= " : "begins with ") << wanted << " of " << least << " to " << most;
        }
    }
  }
}

TEST(conditions, have_texts) {
  const auto of = [](cell type, relation is, std::int64_t value) {
    const compared_integer field{.offset = 0,
                                 .bytes = detail::cell_bytes(type),
                                 .bits = static_cast<unsigned>(8 * detail::cell_bytes(type)),
                                 .signed_order = type < cell::u8 || type > cell::u64};
    return text(*condition_of(field, is, static_cast<std::uint64_t>(value)), "x", type);
  };
  EXPECT_EQ(of(cell::i32, relation::less, 5), "x <= 4");
  EXPECT_EQ(of(cell::i16, relation::at_least, -5), "x >= -5");
  EXPECT_EQ(of(cell::u8, relation::unequal, 7), "x != 7");
  EXPECT_EQ(of(cell::i64, relation::equal, 7), "x = 7");
  EXPECT_EQ(of(cell::u64, relation::greater, -3), "x >= 18446744073709551614");
  EXPECT_EQ(of(cell::u64, relation::less, 0), "no x");
  EXPECT_EQ(of(cell::boolean, relation::unequal, 0), "x");
  EXPECT_EQ(of(cell::boolean, relation::equal, 0), "not x");
  EXPECT_EQ(of(cell::date, relation::at_least, date::of(2024, 3, 1).days), "x >= 2024-03-01");
  EXPECT_EQ(of(cell::timestamp, relation::at_most, timestamp::of(date::of(2024, 3, 1)).micros + 1),
            "x <= 2024-03-01 00:00:00.000001");
  EXPECT_EQ(text(*condition_of(0, 8, relation::less, 2.5), "x", cell::f64), "x < 2.5");
  EXPECT_EQ(text(*condition_of(0, 4, relation::equal, 2.5), "x", cell::f32), "x = 2.5");
  EXPECT_EQ(text(condition_of(0, 16, "AA", true), "x", cell::string), R"(x = "AA")");
  EXPECT_EQ(text(condition_of(0, 4, "A\n\"", false), "x", cell::category),
            R"(x begins with "A\n\"")");
}

}  // namespace
}  // namespace pappus::base
