#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

struct item {
  int key, row;
};

std::vector<item> items(random& r, std::int64_t n, int low, int high) {
  std::vector<item> rows;
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back({static_cast<int>(r.between(low, high)), static_cast<int>(i)});
  return rows;
}

/// Each partition as its size, then its rows' numbers.
std::vector<int> as_rows(std::span<const item> part) {
  std::vector<int> out{static_cast<int>(part.size())};
  for (const auto& x : part) out.push_back(x.row);
  return out;
}

/// What as_rows wrote, partition by partition.
std::vector<std::vector<int>> parts_of(const std::vector<int>& rows) {
  std::vector<std::vector<int>> parts;
  for (std::size_t i = 0; i < rows.size();) {
    const auto n = static_cast<std::size_t>(rows[i++]);
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(i);
    parts.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(n));
    i += n;
  }
  return parts;
}

TEST(apply, cuts_rows_into_even_pieces_in_order) {
  random r(1);
  for (const auto n : sizes()) {
    for (const std::int64_t pieces_wanted : {1, 3, 16}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << pieces_wanted << " pieces");
      const auto data = items(r, n, 0, 9);
      std::vector<int> expected;
      for (std::int64_t i = 0; i < pieces_wanted; ++i) {
        const auto begin = n * i / pieces_wanted, end = n * (i + 1) / pieces_wanted;
        if (begin == end) continue;
        const auto part = as_rows(std::span(data).subspan(static_cast<std::size_t>(begin),
                                                          static_cast<std::size_t>(end - begin)));
        expected.insert(expected.end(), part.begin(), part.end());
      }
      expect_rows(expected,
                  [&](session& s) { return s.from(data).apply(as_rows, pieces{pieces_wanted}); });
    }
  }
}

TEST(apply, sees_contiguous_rows_whatever_the_chunks) {
  random r(2);
  const auto data = items(r, up_to(50'000), 0, 9);
  std::vector<item> kept;
  for (const auto& x : data)
    if (x.key < 5) kept.push_back(x);
  std::vector<int> expected;
  for (const std::size_t i : {0, 1}) {
    const std::size_t begin = kept.size() * i / 2, end = kept.size() * (i + 1) / 2;
    const auto part = as_rows(std::span(kept).subspan(begin, end - begin));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  expect_rows(expected, [&](session& s) {
    return s.from(data).filter([](const item& x) { return x.key < 5; }).apply(as_rows, pieces{2});
  });
}

TEST(apply, puts_equal_keys_into_one_partition_in_row_order) {
  random r(3);
  for (const std::int64_t parts : {1, 2, 7, 1000}) {
    const auto data = items(r, 20'000, -300, 300);
    session first(options{.threads = 1});
    const auto rows =
        first.from(data).apply(as_rows, hash_by(&item::key, parts)).collect().to_vector();
    std::map<int, std::size_t> part_of_key;
    std::size_t seen = 0;
    const auto found = parts_of(rows);
    EXPECT_LE(found.size(), static_cast<std::size_t>(parts));
    for (std::size_t p = 0; p < found.size(); ++p) {
      EXPECT_TRUE(std::is_sorted(found[p].begin(), found[p].end()));
      for (const int row : found[p]) {
        const auto key = data[static_cast<std::size_t>(row)].key;
        EXPECT_EQ(part_of_key.emplace(key, p).first->second, p) << "key " << key;
        ++seen;
      }
    }
    EXPECT_EQ(seen, data.size());
    expect_rows(
        rows, [&](session& s) { return s.from(data).apply(as_rows, hash_by(&item::key, parts)); });
  }
}

TEST(apply, cuts_ranges_of_keys_of_about_equal_size) {
  random r(4);
  const auto data = items(r, 40'000, -1'000'000, 1'000'000);
  session first(options{.threads = 1});
  const auto rows = first.from(data).apply(as_rows, range_by(&item::key, 8)).collect().to_vector();
  const auto found = parts_of(rows);
  ASSERT_EQ(found.size(), 8u);
  int last = std::numeric_limits<int>::min();
  for (const auto& part : found) {
    EXPECT_GT(part.size(), 3000u);
    EXPECT_LT(part.size(), 7000u);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    const auto key = [&](int row) { return data[static_cast<std::size_t>(row)].key; };
    EXPECT_GT(key(*std::ranges::min_element(part, {}, key)), last);
    last = key(*std::ranges::max_element(part, {}, key));
  }
  expect_rows(rows,
              [&](session& s) { return s.from(data).apply(as_rows, range_by(&item::key, 8)); });
}

TEST(apply, keeps_a_frequent_key_in_one_range) {
  std::vector<item> data;
  for (int i = 0; i < 10'000; ++i) data.push_back({i % 10 == 0 ? i : 5, i});
  session s;
  std::size_t with_five = 0;
  for (const auto& part :
       parts_of(s.from(data).apply(as_rows, range_by(&item::key, 4)).collect().to_vector()))
    with_five += std::ranges::any_of(
        part, [&](int row) { return data[static_cast<std::size_t>(row)].key == 5; });
  EXPECT_EQ(with_five, 1u);
}

struct word {
  std::string_view text;
  int row;
};

TEST(apply, partitions_strings) {
  std::vector<std::string> texts{
      "", "b", "ba", "b\xff", "a", "zebra", "zoo", "same prefix 1234 a", "same prefix 1234 b"};
  std::vector<word> data;
  for (int i = 0; i < 3000; ++i)
    data.push_back({texts[static_cast<std::size_t>(i * 7) % texts.size()], i});
  session s;
  const auto in_order = [](std::span<const word> part) {
    std::vector<word> ends{part[0], part[0]};
    for (const auto& w : part) {
      if (w.text < ends[0].text) ends[0] = w;
      if (ends[1].text < w.text) ends[1] = w;
    }
    return ends;
  };
  const auto ends = s.from(data).apply(in_order, range_by(&word::text, 4)).collect();
  for (std::size_t i = 0; i + 2 < ends.size(); i += 2)
    EXPECT_LT(ends[i + 1].text, ends[i + 2].text);
  const auto distinct = [](std::span<const word> part) {
    std::set<std::string_view> all;
    for (const auto& w : part) all.insert(w.text);
    return std::vector<std::size_t>{all.size()};
  };
  const auto counts = s.from(data).apply(distinct, hash_by(&word::text, 5)).collect();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), texts.size());
}

TEST(apply, passes_shared_data_and_takes_any_range) {
  const std::vector<int> numbers{1, 2, 3, 4, 5, 6}, factors{10};
  expect_rows(std::vector<int>{10, 20, 30, 40, 50, 60}, [&](session& s) {
    return s.from(numbers).apply(
        [](std::span<const int> part, std::span<const int> factor) {
          std::list<int> out;
          for (const int x : part) out.push_back(x * factor[0]);
          return out;
        },
        pieces{2}, s.from(factors).shared());
  });
  expect_rows(std::vector<int>{2, 4, 6}, [&](session& s) {
    return s.from(numbers).apply(
        [](std::span<const int> part) {
          return part | std::views::filter([](int x) { return x % 2 == 0; });
        },
        pieces{1});
  });
}

TEST(apply, skips_empty_partitions) {
  expect_rows(std::vector<int>{}, [](session& s) {
    return s.from(std::vector<item>{}).apply(as_rows, hash_by(&item::key, 8));
  });
  expect_rows(std::vector<int>{1, 0}, [](session& s) {
    return s.from(std::vector<item>{{3, 0}}).apply(as_rows, range_by(&item::key, 100));
  });
}

TEST(apply, shares_a_partitioning_that_is_known_already) {
  random r(5);
  const auto data = items(r, 1000, 0, 50);
  session s;
  const auto rows = s.from(data);
  const auto first = rows.apply(as_rows, hash_by(&item::key, 4));
  const auto is_shared = [](const auto& query) {
    return query.explain().find("already partitioned") != std::string::npos;
  };
  EXPECT_FALSE(is_shared(first));
  EXPECT_TRUE(is_shared(rows.apply(as_rows, hash_by(&item::key, 4))));
  EXPECT_FALSE(is_shared(rows.apply(as_rows, hash_by(&item::key, 5))));
  EXPECT_FALSE(is_shared(rows.apply(as_rows, hash_by(&item::row, 4))));
  EXPECT_FALSE(is_shared(rows.apply(as_rows, range_by(&item::key, 4))));

  const auto half = [](const item& x) { return x.key / 2; };
  const auto partitioned = rows.partition(range_by(half, 3));
  const auto again = partitioned.apply(as_rows, range_by(half, 3));
  EXPECT_TRUE(is_shared(again));
  EXPECT_EQ(again.collect().to_vector(),
            rows.apply(as_rows, range_by(half, 3)).collect().to_vector());

  const auto divisor = static_cast<int>(data.size()) / 300;
  const auto capturing = [divisor](const item& x) { return x.key / divisor; };
  const auto by = hash_by(capturing, 3), other = hash_by(capturing, 3);
  const auto with_object = rows.apply(as_rows, by);
  EXPECT_TRUE(is_shared(rows.apply(as_rows, by)));
  EXPECT_FALSE(is_shared(rows.apply(as_rows, other)));
}

TEST(apply, passes_on_exceptions_and_refuses_impossible_numbers_of_parts) {
  session s(options{.threads = 2});
  const auto rows = s.from(std::vector<item>{{1, 0}, {2, 1}});
  const auto fails = [](std::span<const item>) -> std::vector<int> {
    throw std::out_of_range("apply");
  };
  EXPECT_THROW(rows.apply(fails, pieces{2}).collect(), std::out_of_range);
  EXPECT_THROW(rows.apply(as_rows, pieces{0}), usage_error);
  try {
    rows.apply(as_rows, hash_by(&item::key, 70'000));
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "hash_by: expected 1 to 65536 parts, got 70000");
  }
}

}  // namespace
}  // namespace pappus::testing
