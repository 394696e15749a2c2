// Lists are views of bytes, wherever these lie.
#include "pappus/list.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "pappus/show.h"

namespace pappus::testing {
namespace {

using ::testing::ElementsAreArray;

using texts = list<std::string_view>;

static_assert(sizeof(list<int>) == 16);
static_assert(std::is_trivially_copyable_v<list<double>>);
static_assert(std::random_access_iterator<list<int>::iterator>);
static_assert(std::ranges::random_access_range<const texts>);
static_assert(std::ranges::sized_range<const texts>);

struct article {
  std::int64_t id;
  texts tags;
  std::optional<list<double>> scores;
  std::array<list<int>, 2> two;
};
static_assert(detail::text_of<article>() == detail::text_in::views);
static_assert(!detail::may_have_characters<article>());
struct numbers {
  list<int> first;
  list<bool> second;
};
static_assert(detail::field_count<numbers>() == 2, "else no file would have it");

TEST(list, has_the_items_of_a_span) {
  const std::vector<int> items{3, -1, 2};
  const auto all = list<int>::of(items);
  EXPECT_EQ(all.size(), 3u);
  EXPECT_FALSE(all.empty());
  EXPECT_THAT(all, ElementsAreArray(items));
  EXPECT_EQ(all.front(), 3);
  EXPECT_EQ(all.back(), 2);
  EXPECT_EQ(all[1], -1);
  EXPECT_TRUE(all.contains(2));
  EXPECT_FALSE(all.contains(4));
  EXPECT_TRUE(list<int>().empty());
  EXPECT_EQ(list<int>().size(), 0u);
  EXPECT_EQ(list<int>().begin(), list<int>().end());
}

TEST(list, needs_no_aligned_items) {
  const std::array<double, 3> items{0.5, -2, 1e300};
  std::array<char, sizeof(items) + 1> bytes;
  std::memcpy(bytes.data() + 1, items.data(), sizeof(items));
  list<double> moved;
  const std::string_view behind(bytes.data() + 1, sizeof(items));
  std::memcpy(static_cast<void*>(&moved), &behind, sizeof(behind));
  EXPECT_THAT(moved, ElementsAreArray(items));
  EXPECT_EQ(moved, list<double>::of(items));
}

TEST(list, has_texts_of_any_bytes) {
  using namespace std::string_view_literals;
  const std::vector<std::vector<std::string_view>> all{
      {}, {""}, {"", ""}, {"a"}, {"a\0b"sv, "\0"sv, "", "é"}, {std::string_view("x")}};
  for (const auto& wanted : all) {
    const auto bytes = texts::packed(wanted);
    const auto found = texts::of_packed(bytes);
    EXPECT_EQ(found.size(), wanted.size());
    EXPECT_EQ(found.empty(), wanted.empty());
    EXPECT_THAT(found, ElementsAreArray(wanted));
    for (const auto& other : all) {
      const auto others = texts::packed(other);
      EXPECT_EQ(found == texts::of_packed(others), wanted == other);
    }
  }
}

TEST(list, is_gone_through_in_any_order) {
  const std::array<std::int16_t, 5> items{5, 1, 4, 2, 3};
  const auto all = list<std::int16_t>::of(items);
  EXPECT_TRUE(std::ranges::equal(all | std::views::reverse, std::array{3, 2, 4, 1, 5}));
  EXPECT_TRUE(std::ranges::equal(all | std::views::drop(3), std::array{2, 3}));
  EXPECT_EQ(*std::ranges::max_element(all), 5);
  auto at = all.begin() + 2;
  EXPECT_EQ(*at, 4);
  EXPECT_EQ(*at--, 4);
  EXPECT_EQ(*at++, 1);
  EXPECT_EQ(at[-2], 5);
  EXPECT_EQ(all.end() - at, 3);
  EXPECT_TRUE(at > all.begin() && at < all.end() && 1 + at != at);
}

TEST(list, says_where_in_a_record_it_lies) {
  const auto type = detail::record_type_of<article>();
  std::vector<detail::text_place> places;
  type.add_text_places(places);
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0].at, offsetof(article, tags));
  EXPECT_EQ(places[0].presence, 0u);
  EXPECT_EQ(places[1].at, offsetof(article, scores));
  EXPECT_EQ(places[1].presence, offsetof(article, scores) + sizeof(texts));
  EXPECT_EQ(places[2].at, offsetof(article, two));
  EXPECT_EQ(places[3].at, offsetof(article, two) + sizeof(texts));
}

TEST(list, is_shown_in_brackets) {
  const std::array<int, 2> items{1, -2};
  const auto bytes = texts::packed(std::array<std::string_view, 2>{"a b", ""});
  std::ostringstream text;
  text << list<int>::of(items) << texts::of_packed(bytes) << list<bool>();
  EXPECT_EQ(text.str(), "[1, -2][a b, ][]");
}

}  // namespace
}  // namespace pappus::testing
