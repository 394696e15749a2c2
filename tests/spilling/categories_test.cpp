// Rows with categories, and groups and joins by them, that memory has no room for: what goes to the
// disk comes back with the same texts, in their order.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_categories {
namespace {

using ::testing::HasSubstr;
using testing::scaled_mib;
using testing::spill_folder;

constexpr std::size_t plenty = 2048 * scaled_mib;

template <typename Text>
struct visit_of {
  Text page;
  std::int32_t number;
  double value;
};

class spilled_categories : public testing::scaled_test {
 protected:
  /// Of so many pages, whose order isn't that in which they come.
  void write_visits(std::int64_t rows, std::int64_t pages) {
    std::mt19937_64 random(3);
    std::string text = "page,number,value\n";
    for (std::int64_t i = 0; i < rows; ++i) {
      const auto page = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(pages));
      text += "/page" + std::to_string(page * 7919 % 1'000'003) + ',' + std::to_string(i) + ',' +
              std::to_string(static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000) + "e-3\n";
    }
    std::ofstream(path_, std::ios::binary) << text;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  /// query(rows) in little memory, of categories, as text; it is the same of std::string_view.
  template <typename Query>
  void expect_same(const Query& query, std::size_t little) {
    const auto text = [](const auto& rows) {
      std::string all;
      rows.for_each_chunk([&](const auto& chunk) {
        for (const auto& one : chunk) all += detail::shown_text(one) + '\n';
      });
      return all;
    };
    session large(testing::settings(folder_, plenty));
    session s(testing::settings(folder_, little, 3));
    const auto expected = text(query(large.csv<visit_of<std::string_view>>(path_)));
    ASSERT_GT(expected.size(), 1000u);
    EXPECT_TRUE(text(query(s.csv<visit_of<category>>(path_))) == expected);
    EXPECT_THAT(query(s.csv<visit_of<category>>(path_)).explain_analyze(),
                HasSubstr("spill file: "));
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), little);
  }

  spill_folder folder_;
  const std::string path_ = folder_.path() + ".visits.csv";
};

constexpr auto page_of = [](const auto& x) { return x.page; };
constexpr auto value_of = [](const auto& x) { return x.value; };

TEST_F(spilled_categories, are_sorted_by_their_texts) {
  write_visits(90'000, 5000);
  expect_same(
      [](const auto& rows) {
        return rows.sort_by(page_of).map([](const auto& x) { return pair{x.page, x.number}; });
      },
      10 * scaled_mib);
}

TEST_F(spilled_categories, are_grouped) {
  write_visits(90'000, 30'000);
  expect_same([](const auto& rows) { return rows.group_by(page_of).mean(value_of); },
              12 * scaled_mib);
}

TEST_F(spilled_categories, are_groups_of_whole_records) {
  write_visits(60'000, 9000);
  constexpr auto last_of = []<typename K, typename T>(const K& page, std::span<const T> rows) {
    return pair{page, rows.back().number};
  };
  expect_same([last_of](const auto& rows) { return rows.group_by(page_of).map_groups(last_of); },
              12 * scaled_mib);
}

TEST_F(spilled_categories, are_joined) {
  write_visits(60'000, 40'000);
  constexpr auto both = [](const auto& a, const auto& b) { return pair{a.page, b.number}; };
  expect_same(
      [both](const auto& rows) {
        return rows.filter([](const auto& x) { return x.number % 20 == 0; })
            .join(rows, page_of, page_of, both);
      },
      12 * scaled_mib);
}

TEST_F(spilled_categories, are_kept) {
  write_visits(90'000, 9000);
  expect_same(
      [](const auto& rows) {
        const auto kept = rows.cache();
        kept.count().get();
        return kept.filter([](const auto& x) { return x.page > "/page5"; });
      },
      9 * scaled_mib);
}

}  // namespace
}  // namespace pappus::spilled_categories
