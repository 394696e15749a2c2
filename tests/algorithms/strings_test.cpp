#include "algorithms/strings.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

std::vector<std::string> random_strings(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::string> strings(n);
  for (auto& text : strings) {
    text.resize(engine() % 24);
    for (char& c : text) c = static_cast<char>(engine() % 3 == 0 ? engine() % 256 : 'a');
  }
  return strings;
}

TEST(string_ids, gives_equal_strings_equal_dense_ids_whatever_the_number_of_workers) {
  const std::uint64_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto strings = random_strings(50'000, seed);
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  for (const unsigned workers : {1u, 2u, 8u}) {
    testing::test_memory memory;
    testing::test_workers team(workers);
    string_ids ids(memory, "test");
    std::vector<std::uint32_t> found(views.size());
    constexpr std::size_t batch = 500;
    detail::parallel_chunks(team, views.size() / batch, [&](std::size_t item, unsigned) {
      string_ids::recent known;
      ids.find_or_insert(views.data() + item * batch, batch, found.data() + item * batch, known);
    });
    std::map<std::string_view, std::uint32_t> expected;
    for (std::size_t i = 0; i < views.size(); ++i)
      ASSERT_EQ(expected.try_emplace(views[i], found[i]).first->second, found[i]);
    ASSERT_EQ(ids.size(), expected.size());
    std::vector<bool> used(ids.size());
    for (const auto& [text, id] : expected) {
      ASSERT_LT(id, ids.size());
      ASSERT_FALSE(used[id]);
      used[id] = true;
    }
    std::vector<std::string_view> sorted(ids.size());
    std::vector<std::uint32_t> order(ids.size());
    ids.sorted(team, sorted.data(), order.data());
    std::size_t i = 0;
    for (const auto& [text, id] : expected) {
      ASSERT_EQ(sorted[i], text);
      ASSERT_EQ(order[i++], id);
    }
  }
}

// Views of few places, which are found again by these, and of many, which aren't.
TEST(string_ids, of_views_of_the_same_bytes_are_those_of_their_text) {
  const std::uint64_t seed = 8;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 engine(seed);
  const std::string text = "abcabcaabbcc", copy = text;
  for (const std::size_t places : {1, 3, 12})
    for (const std::size_t n : {1, 63, 64, 65, 128, 200, 512}) {
      SCOPED_TRACE(n);
      testing::test_memory memory;
      string_ids ids(memory, "test");
      string_ids::recent known;
      std::map<std::string_view, std::uint32_t> expected;
      for (int call = 0; call < 9; ++call) {
        std::vector<std::string_view> views(n);
        for (auto& view : views) {
          const auto& from = engine() % 2 == 0 ? text : copy;
          const auto begin = engine() % places;
          view = std::string_view(from).substr(begin, engine() % 4);
          if (engine() % 16 == 0) view = {};
        }
        std::vector<std::uint32_t> found(n);
        ASSERT_EQ(ids.find_or_insert(views.data(), n, found.data(), known), 0u);
        for (std::size_t i = 0; i < n; ++i)
          ASSERT_EQ(expected.try_emplace(views[i], found[i]).first->second, found[i]) << views[i];
      }
      ASSERT_EQ(ids.size(), expected.size());
    }
}

// What lies at a place may change, if that is told.
TEST(string_ids, of_bytes_that_change_are_those_of_the_new_ones) {
  testing::test_memory memory;
  string_ids ids(memory, "test", string_ids::bytes::are_copied);
  string_ids::recent known;
  std::string text = "abcdefgh";
  const std::vector<std::string_view> views(500, std::string_view(text));
  std::map<std::string, std::uint32_t> expected;
  for (int call = 0; call < 12; ++call) {
    text[0] = static_cast<char>('a' + call % 3);
    known.forget();
    std::vector<std::uint32_t> found(views.size());
    ids.find_or_insert(views.data(), views.size(), found.data(), known);
    const auto number = expected.try_emplace(text, found[0]).first->second;
    for (const auto one : found) ASSERT_EQ(one, number) << text;
  }
  EXPECT_EQ(ids.size(), 3U);
}

TEST(string_ids, starts_empty) {
  testing::test_memory memory;
  testing::test_workers team(2);
  string_ids ids(memory, "test");
  string_ids::recent known;
  ids.find_or_insert(nullptr, 0, nullptr, known);
  ids.sorted(team, nullptr, nullptr);
  EXPECT_EQ(ids.size(), 0u);
}

// Which strings get numbers depends on the workers, but each has one always or never.
TEST(string_ids, gives_no_numbers_beyond_a_limit) {
  const auto strings = random_strings(40'000, 9);
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  constexpr std::size_t batch = 500, bytes_max = 300'000;
  for (const bool of_strings : {true, false}) {
    testing::test_memory memory;
    testing::test_workers team(4);
    string_ids ids(memory, "test", string_ids::bytes::are_copied);
    of_strings ? ids.limit(5'000, SIZE_MAX) : ids.limit(SIZE_MAX, bytes_max);
    std::vector<std::uint32_t> first(views.size()), again(views.size());
    std::atomic<std::size_t> without = 0;
    for (auto* const found : {&first, &again}) {
      detail::parallel_chunks(team, views.size() / batch, [&](std::size_t item, unsigned) {
        string_ids::recent known;
        without += ids.find_or_insert(views.data() + item * batch, batch,
                                      found->data() + item * batch, known);
      });
      ids.drop_old_tables();
    }
    std::map<std::string_view, std::uint32_t> expected;
    for (std::size_t i = 0; i < views.size(); ++i) {
      ASSERT_EQ(expected.try_emplace(views[i], first[i]).first->second, first[i]);
      ASSERT_EQ(again[i], first[i]);
      ASSERT_TRUE(first[i] == string_ids::none || first[i] < ids.size());
    }
    EXPECT_EQ(without, 2 * static_cast<std::size_t>(std::ranges::count(first, string_ids::none)));
    EXPECT_GT(without, 0u);
    if (of_strings)
      EXPECT_NEAR(static_cast<double>(ids.size()), 5'000, 4);  // one more by each other worker
    else
      EXPECT_LE(memory.used_bytes(), bytes_max * 5 / 4);
  }
}

TEST(string_ids, gives_all_memory_back) {
  testing::test_memory memory;
  {
    string_ids ids(memory, "test");
    const auto strings = random_strings(3000, 8);
    string_ids::recent known;
    for (const auto& text : strings) {
      const std::string_view view = text;
      std::uint32_t id;
      ids.find_or_insert(&view, 1, &id, known);
    }
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
}

}  // namespace
}  // namespace pappus::algorithms
