// Numbers at the ends of their types: what is refused before it overflows.
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "arrays/checks.h"
#include "arrays/refusal.h"
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

}  // namespace
}  // namespace pappus::testing
