// Functions of text for lambdas, beside what loops find.
#include "pappus/str.h"

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

static_assert(std::ranges::forward_range<str::split> && std::ranges::forward_range<str::words<>>);
static_assert(std::ranges::view<str::split> && std::ranges::view<str::words<>>);
static_assert(str::piece("a,b,,c", ',', 3) == "c", "functions of text work at compile time");

template <typename View>
std::vector<std::string_view> all(View view) {
  std::vector<std::string_view> found;
  for (const auto one : view) found.push_back(one);
  return found;
}

TEST(str, is_split_at_delimiters) {
  EXPECT_THAT(all(str::split("a,b", ',')), ElementsAre("a", "b"));
  EXPECT_THAT(all(str::split(",a,,", ',')), ElementsAre("", "a", "", ""));
  EXPECT_THAT(all(str::split("", ',')), ElementsAre(""));
  EXPECT_THAT(all(str::split("ab", ',')), ElementsAre("ab"));
  EXPECT_THAT(all(str::split()), ElementsAre(""));
  EXPECT_THAT(all(str::split("a\0b"sv, '\0')), ElementsAre("a", "b"));
  EXPECT_THAT(all(str::split("a,b,c", ',') | std::views::drop(1)), ElementsAre("b", "c"));
}

TEST(str, has_words) {
  EXPECT_THAT(all(str::words("  to be\tor\r\nnot ")), ElementsAre("to", "be", "or", "not"));
  EXPECT_THAT(all(str::words("word")), ElementsAre("word"));
  EXPECT_THAT(all(str::words("")), IsEmpty());
  EXPECT_THAT(all(str::words(" \n\v\f")), IsEmpty());
  EXPECT_THAT(all(str::words()), IsEmpty());
  EXPECT_THAT(all(str::words("It's 'one', no: 2nd--", str::is_letter)),
              ElementsAre("It", "s", "one", "no", "nd"));
  EXPECT_THAT(all(str::words("2024-02-29", str::is_digit)), ElementsAre("2024", "02", "29"));
  EXPECT_THAT(all(str::words("2024", str::is_letter)), IsEmpty());
  EXPECT_THAT(all(str::words("\xc3\xa9t\xc3\xa9", str::is_letter)), ElementsAre("t"));
}

TEST(str, of_any_kind_is_taken_apart_as_by_loops) {
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
    ASSERT_THAT(all(str::split(of, ',')), ::testing::ElementsAreArray(pieces)) << of;
    ASSERT_THAT(all(str::words(of)), ::testing::ElementsAreArray(words)) << of;
    for (std::size_t i = 0; i < pieces.size() + 2; ++i)
      ASSERT_EQ(str::piece(of, ',', i), i < pieces.size() ? pieces[i] : "") << of << " " << i;
  }
}

/// Runs of characters of a class, character by character.
template <typename Is>
std::vector<std::string> runs(std::string_view of, Is is) {
  std::vector<std::string> found;
  bool in_word = false;
  for (const char c : of) {
    if (is(c) && !in_word) found.emplace_back();
    in_word = is(c);
    if (in_word) found.back() += c;
  }
  return found;
}

TEST(str, has_words_of_any_length_and_characters) {
  constexpr unsigned seed = 32;
  RecordProperty("seed", seed);
  std::mt19937_64 random(seed);
  const auto vowel = [](char c) { return c == 'a' || c == 'E'; };
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const bool any = random() % 2 == 0;
    const auto stay = 1 + random() % 90;
    for (auto n = random() % 300; n > 0; --n)
      if (!text.empty() && random() % stay != 0)
        text += any ? text.back() : "azAZ09aE"[random() % 8];
      else
        text +=
            any ? static_cast<char>(random()) : "@[`{/: \t\r\x0e\x08!\x80\xe1\xc1"[random() % 15];
    const std::string_view of(text);
    const auto expect_runs = [&](const auto& found, const auto& is) {
      ASSERT_THAT(found, ::testing::ElementsAreArray(runs(of, is)))
          << ::testing::PrintToString(text);
    };
    expect_runs(all(str::words(of)), [](char c) { return !str::is_space(c); });
    expect_runs(all(str::words(of, str::is_space)), str::is_space);
    expect_runs(all(str::words(of, str::is_letter)), str::is_letter);
    expect_runs(all(str::words(of, str::is_digit)), str::is_digit);
    expect_runs(all(str::words(of, vowel)), vowel);
    const auto some = of.substr(0, random() % 41);
    std::string in_lower(some);
    for (char& c : in_lower) c = lower(c);
    const auto wide = str::lower<40>(some);
    const auto odd = str::lower<41>(some);
    in_lower.resize(40);
    ASSERT_EQ(std::string(wide.data(), 40), in_lower);
    ASSERT_EQ(std::string(odd.data(), 41), in_lower + '\0');
  }
  for (int code = 0; code < 256; ++code) {
    const auto c = static_cast<char>(code);
    const std::string eight(8, c);
    ASSERT_EQ(all(str::words(eight, str::is_letter)).size(), str::is_letter(c) ? 1u : 0u) << code;
    ASSERT_EQ(all(str::words(eight, str::is_digit)).size(), str::is_digit(c) ? 1u : 0u) << code;
    ASSERT_EQ(all(str::words(eight, str::is_space)).size(), str::is_space(c) ? 1u : 0u) << code;
    ASSERT_EQ(str::lower<8>(eight)[3], lower(c)) << code;
  }
}

static_assert(std::ranges::distance(str::words("to be, or", str::is_letter)) == 3);
static_assert(str::lower<8>("Be")[0] == 'b');

TEST(str, is_trimmed_and_compared) {
  EXPECT_EQ(str::trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(str::trim("  "), "");
  EXPECT_EQ(str::trim(""), "");
  EXPECT_TRUE(str::contains("abc", "bc") && str::contains("abc", 'a') && str::contains("abc", ""));
  EXPECT_FALSE(str::contains("abc", "cb") || str::contains("abc", 'd') || str::contains("", 'a'));
  EXPECT_TRUE(str::equals_ignoring_case("Delft-9", "dELFT-9"));
  EXPECT_FALSE(str::equals_ignoring_case("a", "ab") || str::equals_ignoring_case("[", "{"));
  EXPECT_EQ(str::lower<5>("AbZ["), (std::array<char, 5>{'a', 'b', 'z', '[', '\0'}));
  EXPECT_EQ(str::lower<2>("AB"), (std::array<char, 2>{'a', 'b'}));
  EXPECT_THROW(str::lower<2>("ABC"), std::length_error);
  EXPECT_THROW(str::chars<2>("ABC"), std::length_error);
  const auto some = str::chars<5>("AbZ"), full = str::chars<5>("AbZ[]"), none = str::chars<5>("");
  EXPECT_EQ(some, (std::array<char, 5>{'A', 'b', 'Z', '\0', '\0'}));
  EXPECT_EQ(str::text(some), "AbZ");
  EXPECT_EQ(str::text(full), "AbZ[]");
  EXPECT_EQ(str::text(none), "");
}

TEST(str, is_parsed_as_a_whole) {
  EXPECT_EQ(str::parse<int>(" -12 "), -12);
  EXPECT_EQ(str::parse<int>("+5"), 5);
  EXPECT_EQ(str::parse<int>("+-5"), std::nullopt);
  EXPECT_EQ(str::parse<int>("+"), std::nullopt);
  EXPECT_EQ(str::parse<double>("1e-400"), std::nullopt);
  EXPECT_EQ(str::parse<std::uint8_t>("255"), 255);
  EXPECT_EQ(str::parse<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(str::parse<double>("1e3"), 1000.0);
  EXPECT_EQ(str::parse<float>("0.1"), 0.1f);
  EXPECT_EQ(str::parse<bool>("TRUE"), true);
  EXPECT_EQ(str::parse<bool>("0"), false);
  EXPECT_EQ(str::parse<date>("2024-02-29"), date::of(2024, 2, 29));
  for (const auto* const bad : {"", " ", "x", "1x", "1 2", "--1", "0x1"}) {
    EXPECT_EQ(str::parse<int>(bad), std::nullopt) << bad;
    EXPECT_EQ(str::parse<double>(bad), std::nullopt) << bad;
    EXPECT_EQ(str::parse<bool>(bad), std::nullopt) << bad;
  }
  for (const auto* const bad : {"2023-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "2024-1-01",
                                "2024-01-01x", "20240101", "-024-01-01"})
    EXPECT_EQ(str::parse<date>(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace pappus::testing
