// Groups of texts that share their bytes, or seem to.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

struct row {
  std::string_view text;
  std::int64_t number;
};

void expect_groups(const std::vector<row>& rows) {
  std::map<std::string_view, std::int64_t> sums;
  for (const auto& [text, number] : rows) sums[text] += number;
  for (const unsigned threads : {1, 3}) {
    session s(options{.threads = threads});
    std::map<std::string_view, std::int64_t> found;
    const auto groups = s.borrow(rows).group_by(&row::text).sum(&row::number).collect();
    for (const auto& group : groups) EXPECT_TRUE(found.emplace(group.key, group.value).second);
    EXPECT_TRUE(found == sums) << threads << " threads";
  }
}

std::vector<row> rows_of(const std::vector<std::string_view>& texts, std::size_t n) {
  std::mt19937_64 random(texts.size());
  std::vector<row> rows(n);
  for (auto& one : rows)
    one = {texts[random() % texts.size()], static_cast<std::int64_t>(random() % 1000)};
  return rows;
}

TEST(met_texts, may_begin_at_the_same_byte_or_end_there) {
  const std::string all = "abcdefghijklmnopqrstuvwxyz";
  std::vector<std::string_view> texts{std::string_view()};
  for (std::size_t first = 0; first < 3; ++first)
    for (std::size_t n = 0; n < 20; ++n) texts.push_back(std::string_view(all).substr(first, n));
  expect_groups(rows_of(texts, 20'000));
}

TEST(met_texts, may_be_equal_at_many_places) {
  const std::string spread(5000, 'a');
  std::vector<std::string_view> texts;
  for (std::size_t first = 0; first < 4000; ++first)
    texts.push_back(std::string_view(spread).substr(first, 1 + first % 3));
  expect_groups(rows_of(texts, 20'000));
}

/// In turn, so that the table grows while others that were met are added to.
TEST(met_texts, may_be_joined_by_ever_more) {
  std::vector<std::string> others;
  for (int i = 0; i < 30'000; ++i)
    others.push_back(std::to_string(i * 7919) + std::string(static_cast<std::size_t>(i % 20), '-'));
  const std::string_view few[] = {"one", "two", "a text that is longer than a slot", ""};
  std::vector<row> rows;
  for (std::size_t i = 0; i < others.size(); ++i)
    for (std::size_t j = 0; j < 9; ++j)
      rows.push_back(
          {j == 0 ? std::string_view(others[i]) : few[j % 4], static_cast<std::int64_t>(i % 100)});
  expect_groups(rows);
}

/// Blocks of few texts after blocks of many.
TEST(met_texts, may_be_few_here_and_many_there) {
  std::vector<std::string> many;
  for (int i = 0; i < 5000; ++i) many.push_back("text " + std::to_string(i));
  std::vector<row> rows;
  for (std::size_t i = 0; i < 400'000; ++i)
    rows.push_back({many[i / 50'000 % 2 == 0 ? i % 7 : i * 31 % 5000], 1});
  expect_groups(rows);
}

}  // namespace
}  // namespace pappus::testing
