// Functions of text for lambdas, beside what loops find.
#include "pappus/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pappus::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::string_view_literals;

static_assert(std::ranges::forward_range<text::split> && std::ranges::forward_range<text::words>);
static_assert(std::ranges::view<text::split> && std::ranges::view<text::words>);
static_assert(text::piece("a,b,,c", ',', 3) == "c", "functions of text work at compile time");

template <typename View>
std::vector<std::string_view> all(View view) {
  std::vector<std::string_view> found;
  for (const auto one : view) found.push_back(one);
  return found;
}

TEST(text, is_split_at_delimiters) {
  EXPECT_THAT(all(text::split("a,b", ',')), ElementsAre("a", "b"));
  EXPECT_THAT(all(text::split(",a,,", ',')), ElementsAre("", "a", "", ""));
  EXPECT_THAT(all(text::split("", ',')), ElementsAre(""));
  EXPECT_THAT(all(text::split("ab", ',')), ElementsAre("ab"));
  EXPECT_THAT(all(text::split()), ElementsAre(""));
  EXPECT_THAT(all(text::split("a\0b"sv, '\0')), ElementsAre("a", "b"));
  EXPECT_THAT(all(text::split("a,b,c", ',') | std::views::drop(1)), ElementsAre("b", "c"));
}

TEST(text, has_words) {
  EXPECT_THAT(all(text::words("  to be\tor\r\nnot ")), ElementsAre("to", "be", "or", "not"));
  EXPECT_THAT(all(text::words("word")), ElementsAre("word"));
  EXPECT_THAT(all(text::words("")), IsEmpty());
  EXPECT_THAT(all(text::words(" \n\v\f")), IsEmpty());
  EXPECT_THAT(all(text::words()), IsEmpty());
}

TEST(text, of_any_kind_is_taken_apart_as_by_loops) {
  constexpr unsigned seed = 31;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 5000; ++round) {
    std::string of;
    for (auto n = random() % 12; n > 0; --n) of += "a, \tB"[random() % 5];
    std::vector<std::string> pieces(1), words;
    for (const char c : of)
      if (c == ',')
        pieces.emplace_back();
      else
        pieces.back() += c;
    std::istringstream stream(of);
    for (std::string word; stream >> word;) words.push_back(word);
    ASSERT_THAT(all(text::split(of, ',')), ::testing::ElementsAreArray(pieces)) << of;
    ASSERT_THAT(all(text::words(of)), ::testing::ElementsAreArray(words)) << of;
    for (std::size_t i = 0; i < pieces.size() + 2; ++i)
      ASSERT_EQ(text::piece(of, ',', i), i < pieces.size() ? pieces[i] : "") << of << " " << i;
  }
}

TEST(text, is_trimmed_and_compared) {
  EXPECT_EQ(text::trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(text::trim("  "), "");
  EXPECT_EQ(text::trim(""), "");
  EXPECT_TRUE(text::contains("abc", "bc") && text::contains("abc", 'a') &&
              text::contains("abc", ""));
  EXPECT_FALSE(text::contains("abc", "cb") || text::contains("abc", 'd') ||
               text::contains("", 'a'));
  EXPECT_TRUE(text::equals_ignoring_case("Delft-9", "dELFT-9"));
  EXPECT_FALSE(text::equals_ignoring_case("a", "ab") || text::equals_ignoring_case("[", "{"));
  EXPECT_EQ(text::lower<5>("AbZ["), (std::array<char, 5>{'a', 'b', 'z', '[', '\0'}));
  EXPECT_EQ(text::lower<2>("AB"), (std::array<char, 2>{'a', 'b'}));
  EXPECT_THROW(text::lower<2>("ABC"), std::length_error);
}

TEST(text, is_parsed_as_a_whole) {
  EXPECT_EQ(text::parse<int>(" -12 "), -12);
  EXPECT_EQ(text::parse<std::uint8_t>("255"), 255);
  EXPECT_EQ(text::parse<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(text::parse<double>("1e3"), 1000.0);
  EXPECT_EQ(text::parse<float>("0.1"), 0.1f);
  EXPECT_EQ(text::parse<bool>("TRUE"), true);
  EXPECT_EQ(text::parse<bool>("0"), false);
  EXPECT_EQ(text::parse<date>("2024-02-29"), date::of(2024, 2, 29));
  for (const auto* const bad : {"", " ", "x", "1x", "1 2", "--1", "0x1"}) {
    EXPECT_EQ(text::parse<int>(bad), std::nullopt) << bad;
    EXPECT_EQ(text::parse<double>(bad), std::nullopt) << bad;
    EXPECT_EQ(text::parse<bool>(bad), std::nullopt) << bad;
  }
  for (const auto* const bad : {"2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "2024-1-01",
                                "2024-01-01x", "20240101", "-024-01-01"})
    EXPECT_EQ(text::parse<date>(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace pappus::testing
