// Numbers at the ends of their types: what is refused before it overflows.
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrays/checks.h"
#include "arrays/refusal.h"
#include "pappus/pappus.h"
#include "support/launches.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;

TEST(narrow_footprints, hold_below_two_to_31) {
  const auto large = planned_array({2 * two_to_31}), small = planned_array({10});
  const auto said = [&](const regions::box& indices, const arrays::image_ptr& array,
                        const char* text) {
    return refusal([&] { check_narrow(*launch_of_text(indices, {array}, text)); });
  };
  const char* const own = "a: global i => write a[i]";
  EXPECT_EQ(said({{-two_to_31}, {two_to_31}}, large, own), "nothing");
  EXPECT_EQ(said({{0}, {two_to_31 + 1}}, large, own),
            "for_each at test.cpp:1: expected indices below 2^31, because the function computes "
            "with int what it touches (a: global i => write a[i]), got [0:2147483648]; let it take "
            "idx<1> and compute with std::int64_t");
  EXPECT_EQ(said({{-two_to_31 - 1}, {0}}, large, own),
            "for_each at test.cpp:1: expected indices below 2^31, because the function computes "
            "with int what it touches (a: global i => write a[i]), got [-2147483649:-1]; let it "
            "take idx<1> and compute with std::int64_t");
  const char* const twice = "a: global i => write a[2*i]";
  EXPECT_EQ(said({{0}, {two_to_31 / 2}}, large, twice), "nothing");
  EXPECT_EQ(said({{0}, {two_to_31 / 2 + 1}}, large, twice),
            "for_each at test.cpp:1: array: expected elements below 2^31, because the function "
            "computes their numbers with int (a: global i => write a[2*i]), got [0:2147483648]; "
            "compute with std::int64_t");
  EXPECT_EQ(said({{0}, {two_to_31}}, small, twice), "nothing") << "elements that aren't there";
}

TEST(narrow_footprints, hold_below_two_to_31_in_each_dimension) {
  const auto wide = planned_array({4, 2 * two_to_31});
  const auto launch =
      launch_of_text({{0, 0}, {4, two_to_31 + 1}}, {wide}, "a: global [i,j] => write a[i,j]");
  EXPECT_EQ(refusal([&] { check_narrow(*launch); }),
            "for_each at test.cpp:1: expected indices below 2^31, because the function computes "
            "with int what it touches (a: global [i,j] => write a[i,j]), got [0:3,0:2147483648]; "
            "let it take idx<2> and compute with std::int64_t");
}

constexpr auto int64_min = std::numeric_limits<std::int64_t>::min();
constexpr auto int64_max = std::numeric_limits<std::int64_t>::max();

TEST(index_spaces, end_before_two_to_63) {
  session s({.threads = 2});
  const auto a = s.zeros<int>({10});
  const auto set = [](idx<1> i, writes<int> to) { to[int64_max - i[0]] = 1; };
  const std::string many =
      "for_each at limits_test.cpp:N: expected less than 2^63 - 1 indices, got "
      "9223372036854775807 or more; launch it in parts";
  const std::string annotation = "a: global i => write a[9223372036854775807-i]";
  for (const auto& indices :
       {box<1>{int64_min, int64_max}, box<1>{0, int64_max}, box<1>{int64_min, 0}}) {
    EXPECT_EQ(refusal([&] { s.for_each(indices, set, a); }), many);
    EXPECT_EQ(refusal([&] { s.for_each(indices, annotated(set, annotation), a); }), many);
    EXPECT_EQ(refusal([&] { s.for_each(indices, [](idx<1>, updates<int>) {}, a.at(everything)); }),
              many);
  }
  EXPECT_EQ(refusal([&] { s.for_each(box<1>{int64_max, int64_min}, set, a); }),
            "for_each at limits_test.cpp:N: expected an index space of 0 and more indices in each "
            "dimension, got [9223372036854775807, -9223372036854775808) in dimension 0");
  s.for_each(box<1>{int64_max - 9, int64_max}, annotated(set, annotation), a);
  EXPECT_THAT(a.to_vector(), ::testing::ElementsAre(0, 1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(parts, of_parts_end_within_them_whatever_the_numbers) {
  session s({.threads = 1});
  const auto part = s.zeros<int>({10})[{2, 5}];
  const auto said = [&](std::int64_t low, std::int64_t high) {
    return refusal([&] { part[{low, high}]; });
  };
  const auto expected = [](const char* got) {
    return std::string("array: expected a part within [0:2], got ") + got +
           " in dimension 0; clip the box to the array's extents";
  };
  EXPECT_EQ(said(0, int64_max), expected("[0, 9223372036854775807)"));
  EXPECT_EQ(said(int64_max, int64_max), expected("[9223372036854775807, 9223372036854775807)"));
  EXPECT_EQ(said(int64_min, 2), expected("[-9223372036854775808, 2)"));
  EXPECT_EQ(said(int64_min, int64_min), expected("[-9223372036854775808, -9223372036854775808)"));
  EXPECT_EQ(said(3, 3), "nothing");
}

TEST(formulas_of_at, have_64_bits) {
  const auto [i] = launch_index<1>();
  EXPECT_EQ(refusal([i = i] { i* int64_max * 2; }),
            "at: expected numbers of 64 bits in a formula of the index, got 0 + "
            "9223372036854775807 * 2; say with smaller ones what is touched");
  EXPECT_EQ(refusal([i = i] { i + 1 + int64_max; }),
            "at: expected numbers of 64 bits in a formula of the index, got 1 + "
            "9223372036854775807 * 1; say with smaller ones what is touched");
  EXPECT_EQ(refusal([i = i] { i - int64_min; }),
            "at: expected numbers of 64 bits in a formula of the index, got 0 + "
            "-9223372036854775808 * -1; say with smaller ones what is touched");
  EXPECT_EQ(refusal([i = i] { int64_max* i - int64_max; }), "nothing");
}

TEST(formulas_of_at, reach_beyond_parts_without_harm) {
  session s({.threads = 2});
  const auto [i] = launch_index<1>();
  const auto a = s.zeros<int>({10}), b = s.zeros<int>({3});
  const auto set = [](idx<1> at, reads<int>, writes<int> to) { to[at] = 1; };
  for (const auto& from : {a[{2, 5}].at(int64_max * i), a[{2, 5}].at(0, i + (int64_max - 2)),
                           a[{2, 5}].at(int64_min + i, i), a[{2, 5}].at(everything)}) {
    s.for_each({3}, set, from, b.at(i));
    s.for_each({3}, set, a[{5, 8}].at(int64_max * i), b.at(i));
    a.fill(2);
    EXPECT_THAT(b.to_vector(), ::testing::Each(1));
  }
  EXPECT_EQ(
      refusal([&, i = i] { s.for_each({3}, set, a[{2, 5}].at(i + (int64_max - 9)), b.at(i)); }),
      "for_each at limits_test.cpp:N: a: expected elements of [0:2], got none of them for "
      "the indices [0:2] (read a[i+9223372036854775798], write b[i]); launch it over other "
      "indices, or give it another part of the array");
}

}  // namespace
}  // namespace pappus::testing
