// Sorts of more rows than memory holds: the same bytes as std::stable_sort, whatever the budget,
// for every way in which records and keys move.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "support/raw_file.h"
#include "support/spill_settings.h"

namespace pappus::testing::runs {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

struct spilled_sort {
  std::size_t budget;
  unsigned threads;
};

/// Calls sorted(collection) -> collection for rows of a file, and where they fit beside their
/// result, for rows in memory.
template <typename T, typename Sort>
PAPPUS_UNHURRIED void expect_sorted_at_any_budget(const std::vector<T>& rows,
                                                  const std::vector<T>& expected, Sort sorted) {
  const spill_folder folder;
  const raw_file<T> file(rows);
  const std::size_t bytes = rows.size() * sizeof(T);
  for (const auto& [budget, threads] : {spilled_sort{5 * MiB, 1}, spilled_sort{9 * MiB, 2},
                                        spilled_sort{24 * MiB, 3}, spilled_sort{512 * MiB, 2}}) {
    SCOPED_TRACE(::testing::Message() << budget / MiB << " MiB, " << threads << " threads");
    session s(settings(folder, budget, threads));
    const auto from_file = sorted(s.raw<T>(file.path()));
    EXPECT_TRUE(same_rows(delivered(from_file), expected));
    for (const std::size_t n : {std::size_t{10}, rows.size() / 12})
      EXPECT_TRUE(same_rows(delivered(from_file.take(static_cast<std::int64_t>(n))),
                            std::vector<T>(expected.begin(), expected.begin() + n)));
    if (budget > 4 * bytes + 8 * MiB) continue;
    EXPECT_THAT(from_file.count().explain_analyze(), ::testing::HasSubstr("ranges of keys"));
    EXPECT_LE(s.host_memory_peak(), budget);
    if (budget < 3 * bytes + 4 * MiB) continue;
    EXPECT_TRUE(same_rows(sorted(s.from(rows)).collect().to_vector(), expected));
  }
  EXPECT_TRUE(folder.empty());
}

template <typename T, typename Before>
std::vector<T> stably_sorted(std::vector<T> rows, Before before) {
  std::stable_sort(rows.begin(), rows.end(), before);
  return rows;
}

TEST(sort_runs, of_integers) {
  random numbers(1);
  std::vector<std::int64_t> rows;
  for (int i = 0; i < up_to(400'000); ++i) rows.push_back(numbers.between(-100'000, 100'000));
  expect_sorted_at_any_budget(rows, stably_sorted(rows, std::less<>()),
                              [](const auto& all) { return all.sort(); });
  const auto whole = [](std::int64_t x) { return x; };
  expect_sorted_at_any_budget(rows, stably_sorted(rows, std::greater<>()),
                              [&](const auto& all) { return all.sort_by(descending(whole)); });
}

TEST(sort_runs, of_small_integers_and_of_arrays_that_are_keys) {
  random numbers(2);
  std::vector<std::int16_t> rows;
  std::vector<std::array<std::int32_t, 3>> triples;
  for (int i = 0; i < up_to(1'500'000); ++i)
    rows.push_back(static_cast<std::int16_t>(numbers.between(-300, 300)));
  for (int i = 0; i < up_to(300'000); ++i)
    triples.push_back({static_cast<std::int32_t>(numbers.between(-2, 2)),
                       static_cast<std::int32_t>(numbers.between(-100, 100)), i % 5});
  const auto sorted = [](const auto& all) { return all.sort(); };
  expect_sorted_at_any_budget(rows, stably_sorted(rows, std::less<>()), sorted);
  expect_sorted_at_any_budget(triples, stably_sorted(triples, std::less<>()), sorted);
}

struct timed {  // 16 bytes: moves with its key
  double at;
  std::int64_t row;
};

/// Numbers, zeros of both signs and NaN; `kinds` of them, so that many are equal.
std::vector<timed> timed_rows(std::int64_t n, std::int64_t kinds, std::uint64_t seed) {
  random numbers(seed);
  std::vector<timed> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto kind = numbers.between(0, kinds);
    rows.push_back({kind == 0   ? std::nan("")
                    : kind == 1 ? -0.0
                    : kind == 2 ? 0.0
                                : static_cast<double>(kind) - 10,
                    i});
  }
  return rows;
}

bool earlier(const timed& a, const timed& b) {
  return a.at < b.at || (b.at != b.at && a.at == a.at);
}

TEST(sort_runs, keep_the_order_of_equal_keys) {
  const auto by_time = [](const auto& all) { return all.sort_by(&timed::at); };
  for (const std::int64_t kinds : {0, 5, 200'000}) {
    SCOPED_TRACE(kinds);
    const auto rows = timed_rows(up_to(250'000), kinds, 3);
    expect_sorted_at_any_budget(rows, stably_sorted(rows, earlier), by_time);
  }
}

TEST(sort_runs, of_rows_in_order_and_in_the_opposite_one) {
  auto rows = timed_rows(up_to(250'000), 200'000, 4);
  std::stable_sort(rows.begin(), rows.end(), earlier);
  const auto by_time = [](const auto& all) { return all.sort_by(&timed::at); };
  expect_sorted_at_any_budget(rows, rows, by_time);
  std::reverse(rows.begin(), rows.end());
  expect_sorted_at_any_budget(rows, stably_sorted(rows, earlier), by_time);
}

TEST(sort_runs, with_one_hot_key) {
  auto rows = timed_rows(up_to(250'000), 1'000'000, 5);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i % 10 != 0) rows[i].at = 77;
  expect_sorted_at_any_budget(rows, stably_sorted(rows, earlier),
                              [](const auto& all) { return all.sort_by(&timed::at); });
}

struct wide {  // its address moves
  std::int32_t shard;
  float weight;
  std::int64_t row;
  std::array<std::int64_t, 10> rest;
};

std::vector<wide> wide_rows(std::int64_t n) {
  random numbers(6);
  std::vector<wide> rows;
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back({static_cast<std::int32_t>(numbers.between(0, 6)),
                    static_cast<float>(numbers.between(-50, 50)),
                    i,
                    {i, -i, i * i}});
  return rows;
}

bool by_shard_and_weight(const wide& a, const wide& b) {
  return a.shard != b.shard ? a.shard < b.shard : a.weight > b.weight;
}

TEST(sort_runs, of_wide_records_by_several_keys) {
  const auto rows = wide_rows(up_to(60'000));
  expect_sorted_at_any_budget(rows, stably_sorted(rows, by_shard_and_weight), [](const auto& all) {
    return all.sort_by(&wide::shard, descending(&wide::weight));
  });
  // Keys of more than 16 bytes are sorted in parts.
  expect_sorted_at_any_budget(rows,
                              stably_sorted(rows,
                                            [](const wide& a, const wide& b) {
                                              return std::pair(a.weight, -a.rest[2] % 1000) <
                                                     std::pair(b.weight, -b.rest[2] % 1000);
                                            }),
                              [](const auto& all) {
                                return all.sort_by(
                                    &wide::weight, [](const wide& r) { return -r.rest[2] % 1000; },
                                    [](const wide&) { return std::int64_t{7}; });
                              });
}

struct huge {
  std::int64_t key, row;
  std::array<char, 100'000> rest;
};

TEST(sort_runs, of_huge_records) {
  random numbers(7);
  std::vector<huge> rows(static_cast<std::size_t>(up_to(120)));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {numbers.between(0, 20), static_cast<std::int64_t>(i), {static_cast<char>(i)}};
  expect_sorted_at_any_budget(
      rows, stably_sorted(rows, [](const huge& a, const huge& b) { return a.key < b.key; }),
      [](const auto& all) { return all.sort_by(&huge::key); });
}

TEST(sort_runs, of_few_rows) {
  const auto by_time = [](const auto& all) { return all.sort_by(&timed::at); };
  for (const std::int64_t n : {0, 1, 2, 17}) {
    const auto rows = timed_rows(n, 3, 8);
    const spill_folder folder;
    const raw_file<timed> file(rows);
    session s(settings(folder, 3 * MiB));
    const auto expected = stably_sorted(rows, earlier);
    EXPECT_TRUE(same_rows(delivered(by_time(s.raw<timed>(file.path()))), expected)) << n;
  }
}

TEST(sort_runs, pass_their_rows_on_to_every_kind_of_reader) {
  const auto rows = timed_rows(up_to(300'000), 4'000, 9);
  const auto sorted = stably_sorted(rows, earlier);
  const spill_folder folder;
  const raw_file<timed> file(rows);
  session big({.threads = 2, .devices = "cpu"}), small(settings(folder, 9 * MiB));
  const auto in_order = [&](session& s) {
    return s.raw<timed>(file.path())
        .filter([](const timed& t) { return t.row % 7 != 0; })
        .map([](const timed& t) { return timed{t.at, t.row * 2}; })
        .sort_by(&timed::at);
  };
  const auto same = [&](auto query) {
    EXPECT_TRUE(same_rows(query(in_order(small)), query(in_order(big))));
  };
  same([](const auto& r) { return r.take(1000).collect().to_vector(); });
  same([](const auto& r) { return r.skip(100'000).take(70'000).collect().to_vector(); });
  same([](const auto& r) { return std::vector<timed>{r.first().get()}; });
  same([](const auto& r) {
    return std::vector{
        r.map([](const timed& t) { return 1.0 / static_cast<double>(t.row + 1); }).sum().get()};
  });
  same([](const auto& r) {
    return r.map([](const timed& t) { return t.row % 1009; }).distinct().collect().to_vector();
  });
  same([](const auto& r) {
    return r.group_by([](const timed& t) { return t.row % 10; }).count().collect().to_vector();
  });
  same([](const auto& r) { return r.bottom(5, &timed::row).collect().to_vector(); });
  // Sorted again by what a window of the first sort can't tell.
  same([](const auto& r) {
    return delivered(
        r.map([](const timed& t) { return timed{t.at, t.row % 1000}; }).sort_by(&timed::row));
  });
}

struct word {
  std::string_view text;
  std::int64_t row;
};

TEST(sort_runs, by_text_of_a_file) {
  random numbers(10);
  const spill_folder folder;
  const auto path = folder.path() + ".csv";
  std::vector<std::string> texts;
  {
    std::ofstream file(path);
    file << "text,row\n";
    for (int i = 0; i < up_to(150'000); ++i) {
      texts.push_back("w" + std::to_string(numbers.between(0, 30'000)));
      file << texts.back() << "," << i << "\n";
    }
  }
  std::vector<std::int64_t> expected(texts.size());
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
  std::ranges::stable_sort(expected, std::ranges::greater{},
                           [&](std::int64_t i) { return texts[static_cast<std::size_t>(i)]; });
  for (const std::size_t budget : {28 * MiB, 512 * MiB}) {
    session s(settings(folder, budget));
    std::vector<std::int64_t> got;
    s.csv<word>(path, column("text", &word::text), column("row", &word::row))
        .sort_by(descending(&word::text))
        .for_each_chunk([&](std::span<const word> chunk) {
          for (const auto& one : chunk) {
            EXPECT_EQ(one.text, texts[static_cast<std::size_t>(one.row)]);
            got.push_back(one.row);
          }
        });
    EXPECT_EQ(got, expected) << budget / MiB;
  }
  std::filesystem::remove(path);
}

struct named {  // its key lies in the record, which goes to the disk
  std::array<char, 12> name;
  std::int32_t row;
  std::string_view text() const { return {name.data(), 6}; }
};

TEST(sort_runs, by_text_in_the_records) {
  random numbers(12);
  std::vector<named> rows;
  for (std::int32_t i = 0; i < up_to(300'000); ++i) {
    auto& row = rows.emplace_back(named{{}, i});
    for (auto& letter : row.name) letter = static_cast<char>('a' + numbers.between(0, 5));
  }
  expect_sorted_at_any_budget(
      rows, stably_sorted(rows, [](const named& a, const named& b) { return a.text() < b.text(); }),
      [](const auto& all) { return all.sort_by([](const named& r) { return r.text(); }); });
}

TEST(sort_runs, are_made_of_slow_rows_too) {
  const auto rows = timed_rows(up_to(200'000), 1'000, 11);
  const pretended_time slow(now_and_then_slow);
  expect_sorted_at_any_budget(rows, stably_sorted(rows, earlier),
                              [](const auto& all) { return all.sort_by(&timed::at); });
}

}  // namespace
}  // namespace pappus::testing::runs
