// Keys that are views of characters in the record itself: where records are computed on the way,
// they exist for a moment only, and where they are in memory, results outlive them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/session.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::text_in_records {
namespace {

using testing::scaled_mib;

struct named {
  std::array<char, 20> name;
  std::int64_t number;
  std::string_view key() const { return {name.data()}; }
};

/// Names differ in length, and lie in no order.
named named_of(std::int64_t i) {
  constexpr std::int64_t names = 3'001;
  named made{{}, i};
  const auto text =
      std::string(static_cast<std::size_t>(i % 7), 'n') + std::to_string(i * 7'919 % names) + "th";
  std::copy(text.begin(), text.end(), made.name.begin());
  return made;
}

std::string_view key_of(const named& one) { return one.key(); }

/// Calls f(query, its records) with `rows` records from each place.
template <typename F>
void from_everywhere(std::int64_t rows, F&& f) {
  std::vector<named> all, twice;
  for (std::int64_t i = 0; i < rows; ++i) all.push_back(named_of(i));
  for (std::int64_t i = 0; i < rows; ++i)
    for (const auto n : {i, i + 1}) twice.push_back(named_of(n));
  for (const unsigned threads : {1U, 2U, 3U}) {
    session s({.threads = threads, .devices = "cpu"});
    SCOPED_TRACE(::testing::Message() << rows << " rows, " << threads << " threads");
    {
      SCOPED_TRACE("computed by map");
      f(s.range(std::int64_t{0}, rows).map(named_of), all);
    }
    {
      SCOPED_TRACE("computed by flat_map");
      f(s.range(std::int64_t{0}, rows).flat_map([](std::int64_t i) {
        return std::array<named, 2>{named_of(i), named_of(i + 1)};
      }),
        twice);
    }
    {
      SCOPED_TRACE("filtered in memory");
      f(s.from(all).filter([](const named& one) { return one.number >= 0; }), all);
    }
    {
      SCOPED_TRACE("in memory");
      f(s.from(all), all);
    }
    {
      SCOPED_TRACE("in memory until there is a result");
      auto sorted = all;
      std::ranges::reverse(sorted);
      f(s.from(all).sort_by(descending(&named::number)), sorted);
    }
    {
      SCOPED_TRACE("paired by a join");
      const auto numbers = s.range(std::int64_t{0}, rows);
      f(numbers.map(named_of).join(
            numbers, &named::number, [](std::int64_t i) { return i; },
            [](const named& one, std::int64_t) { return one; }),
        all);
    }
  }
}

constexpr std::int64_t sizes[] = {0, 1, 2, 511, 513, 2'500};
// Strings are sorted in pieces of 2^14.
constexpr std::int64_t sizes_of_sorts[] = {0, 1, 2, 511, 513, 20'000};

using totals = std::map<std::string, std::int64_t>;

totals totals_of(const std::vector<named>& records) {
  totals sums;
  for (const auto& one : records) sums[std::string(one.key())] += one.number;
  return sums;
}

/// Of groups that have a key and a sum each.
template <typename Groups>
totals sums_of(const Groups& groups) {
  totals found;
  for (const auto& [key, sum] : groups) EXPECT_TRUE(found.emplace(key, sum).second) << key;
  return found;
}

/// Has the session use memory again that it needs no more.
template <typename Query>
void overwrite_memory(const Query& query) {
  const auto overwritten = query.map([](named one) {
    one.name.fill('x');
    return one;
  });
  overwritten.sort_by(&named::number).collect();
}

template <typename Records>
void expect_in_order(const Records& found, const std::vector<named>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(found[i].number, expected[i].number) << i;
}

keyed<std::string_view, std::int64_t> sum_of_group(std::string_view key,
                                                   std::span<const named> group) {
  std::int64_t sum = 0;
  for (const auto& one : group) sum += one.number;
  return {key, sum};
}

TEST(text_in_records, groups_sums) {
  for (const auto rows : sizes)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      const auto groups = query.group_by(key_of).sum(&named::number).collect();
      overwrite_memory(query);
      EXPECT_EQ(sums_of(groups), totals_of(records));
    });
}

TEST(text_in_records, groups_by_batched_keys) {
  for (const auto rows : sizes)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      const auto keys = [](std::span<const named> some, std::span<std::string_view> out) {
        for (std::size_t i = 0; i < some.size(); ++i) {
          const bool again = i > 0 && some[i].key() == out[i - 1];
          out[i] = again ? out[i - 1] : some[i].key();
        }
      };
      const auto groups =
          query.group_by(batched<std::string_view>(keys)).sum(&named::number).collect();
      EXPECT_EQ(sums_of(groups), totals_of(records));
    });
}

TEST(text_in_records, groups_by_keys_of_left_records) {
  for (const auto rows : sizes)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      const auto numbers = query.map(&named::number).distinct();
      const auto pairs = query.join(
          numbers, &named::number, [](std::int64_t i) { return i; },
          [](const named& one, std::int64_t) { return one.number; });
      EXPECT_EQ(sums_of(pairs.group_by(left(key_of)).sum().collect()), totals_of(records));
    });
}

TEST(text_in_records, groups_by_text_in_shared_records) {
  std::vector<named> names;
  for (std::int64_t i = 0; i < 100; ++i) names.push_back(named_of(i));
  constexpr std::int64_t rows = 5'000;
  totals expected;
  for (std::int64_t i = 0; i < rows; ++i) expected[std::string(names[i % 100].key())] += i;
  session s({.threads = 2, .devices = "cpu"});
  const auto kept = s.from(names).filter([](const named& one) { return one.number >= 0; });
  const auto groups = s.range(std::int64_t{0}, rows)
                          .group_by(
                              [](std::int64_t i, std::span<const named> all) {
                                return all[static_cast<std::size_t>(i % 100)].key();
                              },
                              kept.shared())
                          .sum()
                          .collect();
  overwrite_memory(s.from(names));
  EXPECT_EQ(sums_of(groups), expected);
}

struct coded {
  std::string_view page;
  std::array<char, 4> code;
  double value;
};

// Their state has copies of keys, of which each iteration has one only.
TEST(text_in_records, takes_no_more_memory_with_each_iteration) {
  std::vector<std::string> pages;
  std::vector<coded> rows;
  for (std::int64_t i = 0; i < 20'000; ++i)
    pages.push_back(std::string(100, 'p') + std::to_string(i * 7'919 % 20'011));
  for (const auto& page : pages) rows.push_back({page, {}, 1.0});
  session s({.threads = 2, .host_memory = 192 * scaled_mib, .devices = "cpu", .spill = "off"});
  const auto last = s.do_while(
      s.borrow(rows),
      [](const auto& state) {
        return state.group_by(&coded::page).sum(&coded::value).map([](const auto& one) {
          return coded{one.key, {}, one.value * 0.5};
        });
      },
      [](std::span<const coded>, std::span<const coded>) { return true; }, max_iterations{30});
  EXPECT_EQ(last.count().get(), 20'000);
}

/// Records larger than what is put aside of keys' text.
TEST(text_in_records, groups_large_records) {
  struct large {
    std::array<char, 9'000> text;
  };
  constexpr std::int64_t rows = 3'000, texts = 700;
  session s({.threads = 2, .devices = "cpu"});
  const auto groups =
      s.range(std::int64_t{0}, rows)
          .map([](std::int64_t i) {
            large made;
            made.text.fill(static_cast<char>('a' + i % 7));
            made.text[static_cast<std::size_t>(8'000 + i % texts)] = '\0';
            return made;
          })
          .group_by([](const large& one) { return std::string_view(one.text.data()); })
          .count()
          .collect();
  ASSERT_EQ(groups.size(), static_cast<std::size_t>(texts));
  std::int64_t sum = 0;
  for (const auto& [key, count] : groups) {
    ASSERT_EQ(key, std::string(key.size(), key.front()));
    ASSERT_EQ(key.front(), 'a' + static_cast<char>((key.size() - 8'000) % 7));
    sum += count;
  }
  EXPECT_EQ(sum, rows);
}

/// Names that differ, more than memory has room for.
TEST(text_in_records, groups_in_little_memory) {
  constexpr std::int64_t rows = 25'000;
  const auto different = [](std::int64_t i) {
    named made{{}, i};
    const auto text = std::to_string(i * 7'919 % 12'503) + std::string(i % 5, 'n');
    std::copy(text.begin(), text.end(), made.name.begin());
    return made;
  };
  std::vector<named> records;
  for (std::int64_t i = 0; i < rows; ++i) records.push_back(different(i));
  const auto expected = totals_of(records);
  const testing::spill_folder folder;
  session s(settings(folder, 16 * scaled_mib));
  const auto query = s.range(std::int64_t{0}, rows).map(different);
  totals sums, of_ranges;
  query.group_by(key_of).sum(&named::number).for_each_chunk([&](const auto& chunk) {
    sums.merge(sums_of(chunk));
  });
  EXPECT_EQ(sums, expected);
  query.group_by(key_of).map_groups(sum_of_group).for_each_chunk([&](const auto& chunk) {
    of_ranges.merge(sums_of(chunk));
  });
  EXPECT_EQ(of_ranges, expected);
  EXPECT_GT(detail::access::session(s)->store()->spilled_bytes(), 0U);
}

TEST(text_in_records, groups_records_that_reducers_see_whole) {
  for (const auto rows : sizes)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      totals expected, found;
      for (const auto& one : records) expected.emplace(one.key(), one.number);
      const auto groups = query.group_by(key_of).first().collect();
      for (const auto& [key, one] : groups) {
        EXPECT_EQ(one.key(), key);
        found.emplace(key, one.number);
      }
      EXPECT_EQ(groups.size(), expected.size());
      EXPECT_EQ(found, expected);
    });
}

TEST(text_in_records, groups_as_ranges) {
  for (const auto rows : sizes_of_sorts)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      const auto groups = query.group_by(key_of).map_groups(sum_of_group).collect();
      overwrite_memory(query);
      EXPECT_EQ(sums_of(groups), totals_of(records));
    });
}

TEST(text_in_records, sorts) {
  for (const auto rows : sizes_of_sorts)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      auto expected = records;
      std::ranges::stable_sort(expected, {}, key_of);
      const auto sorted = query.sort_by(key_of).collect();
      expect_in_order(sorted, expected);
    });
}

TEST(text_in_records, finds_the_greatest) {
  for (const auto rows : sizes)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      auto expected = records;
      std::ranges::stable_sort(expected, std::greater<>(), key_of);
      expected.resize(std::min<std::size_t>(expected.size(), 30));
      const auto top = query.top(30, key_of).collect();
      expect_in_order(top, expected);
    });
}

TEST(text_in_records, joins) {
  for (const auto rows : sizes)
    from_everywhere(rows, [](const auto& query, const std::vector<named>& records) {
      using numbers = std::vector<std::pair<std::int64_t, std::int64_t>>;
      std::multimap<std::string, std::int64_t> right;
      for (const auto& one : records)
        if (one.number % 3 == 0) right.emplace(one.key(), one.number);
      numbers expected, found;
      std::vector<std::int64_t> with_match;
      for (const auto& one : records) {
        const auto [begin, end] = right.equal_range(std::string(one.key()));
        for (auto at = begin; at != end; ++at) expected.emplace_back(one.number, at->second);
        if (begin != end) with_match.push_back(one.number);
      }
      const auto others = query.filter([](const named& one) { return one.number % 3 == 0; });
      const auto pairs = query.join(others, key_of, key_of, [](const named& l, const named& r) {
        return pair<std::int64_t, std::int64_t>{l.number, r.number};
      });
      for (const auto& [l, r] : pairs.collect()) found.emplace_back(l, r);
      EXPECT_EQ(found, expected);
      std::vector<std::int64_t> kept;
      for (const auto& one : query.semi_join(others, key_of, key_of).collect())
        kept.push_back(one.number);
      EXPECT_EQ(kept, with_match);
    });
}

}  // namespace
}  // namespace pappus::text_in_records
