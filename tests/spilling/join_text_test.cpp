// Joins whose right side goes to the spill file: records with text, which goes with them, keys that
// depend on rows' places, and sorts of the pairs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/raw_file.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_join_text {
namespace {

using ::testing::HasSubstr;
using testing::scaled_mib;
using testing::write_records;

struct named_sale {
  std::int64_t item;
  std::string_view buyer;
};
struct named_item {
  std::int64_t id;
  std::string_view name;
};

TEST(spilled_joins_with_text, keep_that_of_both_sides) {
  const testing::spill_folder folder;
  const std::string sales = folder.path() + ".sales.csv", items = folder.path() + ".items.csv";
  constexpr std::int64_t n = 8'750;
  {
    std::ofstream left(sales), right(items);
    left << "item,buyer\n";
    right << "id,name\n";
    for (std::int64_t i = 0; i < n; ++i) {
      right << (i * 7'919) % n << ",item number " << i << "\n";
      if (i % 5 == 0) left << (i * 31) % n << ",buyer number " << i << "\n";
    }
  }
  session s(settings(folder, 26 * scaled_mib));
  struct names {
    std::string_view buyer, name;
  };
  const auto pairs =
      s.csv<named_sale>(sales, column("item", &named_sale::item),
                        column("buyer", &named_sale::buyer))
          .join(s.csv<named_item>(items, column("id", &named_item::id),
                                  column("name", &named_item::name)),
                &named_sale::item, &named_item::id,
                [](const named_sale& a, const named_item& b) { return names{a.buyer, b.name}; });
  EXPECT_THAT(pairs.explain(), HasSubstr("to ask for right rows"));
  const auto sorted = pairs.sort_by(&names::name).collect();
  const auto found = pairs.collect();
  std::filesystem::remove(sales);
  std::filesystem::remove(items);
  std::vector<std::int64_t> number_of(n);
  for (std::int64_t i = 0; i < n; ++i) number_of[static_cast<std::size_t>((i * 7'919) % n)] = i;
  ASSERT_EQ(found.size(), static_cast<std::size_t>(n / 5));
  std::vector<std::string> expected;
  for (std::int64_t k = 0; k < n / 5; ++k) {
    const auto number = number_of[static_cast<std::size_t>((k * 5 * 31) % n)];
    expected.push_back("item number " + std::to_string(number));
    ASSERT_EQ(found[static_cast<std::size_t>(k)].name, expected.back());
    ASSERT_EQ(found[static_cast<std::size_t>(k)].buyer, "buyer number " + std::to_string(k * 5));
  }
  std::ranges::sort(expected);
  EXPECT_TRUE(std::ranges::equal(sorted, expected, {}, &names::name));
}

/// Right rows of 1.9 MB, most of it text: several of each key.
struct many_items {
  const testing::spill_folder folder;
  const std::string items = folder.path() + ".items.csv", sales = folder.path() + ".sales.csv";
  static constexpr std::int64_t n = 7'500, keys = 2'500;
  static std::string name_of(std::int64_t row) {
    return "item number " + std::to_string(row) +
           std::string(static_cast<std::size_t>(row % 400), 'x');
  }
  static std::string buyer_of(std::int64_t row) { return "buyer number " + std::to_string(row); }
  many_items() {
    std::ofstream left(sales), right(items);
    left << "item,buyer\n";
    right << "id,name\n";
    for (std::int64_t i = 0; i < n; ++i) right << i % keys << "," << name_of(i) << "\n";
    for (std::int64_t i = 0; i < n; ++i)
      left << (i % 8 == 0 ? i * 31 % keys : keys + i) << "," << buyer_of(i) << "\n";
  }
  session with(std::size_t memory, unsigned threads = 2) const {
    return session(settings(folder, memory, threads));
  }
  auto left(session& s) const {
    return s.csv<named_sale>(sales, column("item", &named_sale::item),
                             column("buyer", &named_sale::buyer));
  }
  auto right(session& s) const {
    return s.csv<named_item>(items, column("id", &named_item::id),
                             column("name", &named_item::name));
  }
};

TEST(spilled_joins_with_text, drop_that_of_pairs_that_nobody_wants) {
  const many_items files;
  auto s = files.with(12 * scaled_mib);
  const auto found = files.left(s)
                         .map([](const named_sale& one) { return one.item; })
                         .join(
                             files.right(s), [](std::int64_t key) { return key; }, &named_item::id,
                             [](std::int64_t, const named_item& item) { return item; })
                         .filter([](const named_item& one) { return one.id % 60 == 0; })
                         .collect();
  EXPECT_FALSE(found.empty());
  for (const auto& one : found) EXPECT_TRUE(one.name.starts_with("item number "));
}

TEST(spilled_joins_with_text, need_no_memory_for_it) {
  const many_items files;
  using text = std::pair<std::string, std::string>;
  std::vector<text> expected;
  for (std::int64_t i = 0; i < many_items::n; i += 8)
    for (std::int64_t k = 0; k < 3; ++k)
      expected.emplace_back(many_items::buyer_of(i),
                            many_items::name_of(i * 31 % many_items::keys + k * many_items::keys));
  struct names {
    std::string_view buyer, name;
  };
  for (const std::size_t mib : {13, 16, 24}) {
    SCOPED_TRACE(mib);
    auto s = files.with(mib * scaled_mib);
    const auto pairs = files.left(s).join(
        files.right(s), &named_sale::item, &named_item::id,
        [](const named_sale& a, const named_item& b) { return names{a.buyer, b.name}; });
    std::vector<text> found;
    pairs.for_each_chunk([&](std::span<const names> chunk) {
      for (const auto& one : chunk) found.emplace_back(one.buyer, one.name);
    });
    EXPECT_TRUE(found == expected);
    const auto report = pairs.count().explain_analyze();
    EXPECT_THAT(report, HasSubstr("windows asked for"));
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

TEST(spilled_joins_with_text, have_that_of_right_rows_as_long_as_results_need_it) {
  const many_items files;
  auto s = files.with(20 * scaled_mib), all = files.with(1024 * scaled_mib);
  struct names {
    std::string_view buyer, name;
  };
  const auto kept_names = [&](session& in) {
    return files.left(in)
        .join(files.right(in), &named_sale::item, &named_item::id,
              [](const named_sale& a, const named_item& b) { return names{a.buyer, b.name}; })
        .filter([](const names& n) { return n.name.size() % 200 == 0; });
  };
  const auto found = kept_names(s).collect(), expected = kept_names(all).collect();
  const auto same = [](const names& a, const names& b) {
    return a.buyer == b.buyer && a.name == b.name;
  };
  ASSERT_GT(expected.size(), 25u);
  EXPECT_TRUE(std::ranges::equal(found, expected, same));
  const auto sorted = [&](session& in) {
    return kept_names(in).sort_by(&names::name, &names::buyer).collect();
  };
  EXPECT_TRUE(std::ranges::equal(sorted(s), sorted(all), same));
  const auto longest = [&](session& in) {
    return std::string(kept_names(in).map(&names::name).max().get());
  };
  EXPECT_EQ(longest(s), longest(all));
}

/// Both sides have text that is far longer than what else is in their records.
TEST(spilled_joins_with_text, have_room_for_long_ones_of_both_sides_and_a_sort) {
  const testing::spill_folder folder;
  const std::string items = folder.path() + ".items.csv", sales = folder.path() + ".sales.csv";
  constexpr std::int64_t n = 2'500, keys = 750;
  const auto long_text = [](const char* what, std::int64_t row) {
    return what + std::to_string(row) + std::string(static_cast<std::size_t>(row * 7 % 2'000), 'z');
  };
  {
    std::ofstream left(sales), right(items);
    left << "item,buyer\n";
    right << "id,name\n";
    for (std::int64_t i = 0; i < n; ++i) {
      right << i % keys << "," << long_text("item ", i) << "\n";
      left << (i % 4 == 0 ? i * 31 % keys : keys + i) << "," << long_text("buyer ", i) << "\n";
    }
  }
  std::vector<std::pair<std::string, std::string>> expected;
  for (std::int64_t i = 0; i < n; i += 4)
    for (auto k = i * 31 % keys; k < n; k += keys)
      expected.emplace_back(long_text("item ", k), long_text("buyer ", i));
  std::ranges::sort(expected);
  struct names {
    std::string_view buyer, name;
  };
  for (const std::size_t mib : {14, 15, 18, 24, 40}) {
    SCOPED_TRACE(mib);
    session s(settings(folder, mib * scaled_mib));
    std::size_t at = 0, wrong = 0;
    s.csv<named_sale>(sales, column("item", &named_sale::item), column("buyer", &named_sale::buyer))
        .join(s.csv<named_item>(items, column("id", &named_item::id),
                                column("name", &named_item::name)),
              &named_sale::item, &named_item::id,
              [](const named_sale& a, const named_item& b) { return names{a.buyer, b.name}; })
        .sort_by(&names::name, &names::buyer)
        .for_each_chunk([&](std::span<const names> chunk) {
          for (const auto& one : chunk) {
            wrong += at >= expected.size() || one.name != expected[at].first ||
                     one.buyer != expected[at].second;
            ++at;
          }
        });
    EXPECT_EQ(at, expected.size());
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

TEST(spilled_joins_with_text, cut_windows_that_need_too_much_of_it) {
  const testing::spill_folder folder;
  const std::string items = folder.path() + ".items.csv", sales = folder.path() + ".sales.csv";
  constexpr std::int64_t n = 5'120, left_rows = 64;
  const auto name_of = [](std::int64_t row) {
    return std::to_string(row) + std::string(static_cast<std::size_t>(row % 500), 'y');
  };
  {
    std::ofstream left(sales), right(items);
    left << "item,buyer\n";
    right << "id,name\n";
    for (std::int64_t i = 0; i < n; ++i) right << i % left_rows << "," << name_of(i) << "\n";
    for (std::int64_t i = 0; i < left_rows; ++i) left << i << ",somebody\n";
  }
  session s(settings(folder, 12 * scaled_mib));
  std::int64_t row = 0, wrong = 0;
  s.csv<named_sale>(sales, column("item", &named_sale::item), column("buyer", &named_sale::buyer))
      .join(s.csv<named_item>(items, column("id", &named_item::id),
                              column("name", &named_item::name)),
            &named_sale::item, &named_item::id,
            [](const named_sale&, const named_item& b) { return b.name; })
      .for_each_chunk([&](std::span<const std::string_view> chunk) {
        for (const auto name : chunk) {
          const auto item = row / (n / left_rows), number = row % (n / left_rows);
          wrong += name != name_of(item + number * left_rows);
          ++row;
        }
      });
  EXPECT_EQ(row, n);
  EXPECT_EQ(wrong, 0);
}

TEST(spilled_joins_by_position, hear_the_keys_of_all_windows) {
  const testing::spill_folder folder;
  const std::string path = folder.path() + ".numbers.raw";
  constexpr std::int64_t n = 37'500;
  {
    std::vector<std::int64_t> numbers(n);
    for (std::int64_t i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = i;
    write_records(path, numbers);
  }
  session s(settings(folder, 12 * scaled_mib));
  const auto pairs = s.raw<std::int64_t>(path).enumerate().join(
      s.raw<std::int64_t>(path), [](const auto& left) { return std::int64_t(left.index); },
      [](std::int64_t right) { return right; },
      [](const auto& left, std::int64_t right) { return left.value + right; });
  EXPECT_THAT(pairs.explain(), HasSubstr("to ask for right rows"));
  EXPECT_EQ(pairs.sum().get(), n * (n - 1));
}

struct wide {
  std::int64_t key, row;
  std::array<std::int64_t, 12> rest;
};
struct wide_pair {
  wide left;
  std::int64_t right, rest;
};

TEST(spilled_joins_of_wide_rows, leave_room_for_a_sort_of_the_pairs) {
  const testing::spill_folder folder;
  const std::string left = folder.path() + ".left.raw", right = folder.path() + ".right.raw";
  constexpr std::int64_t n = 23'750, prime = 611'953;
  const auto write = [](const std::string& path, std::int64_t rows, std::int64_t factor) {
    std::vector<wide> all;
    for (std::int64_t i = 0; i < rows; ++i) all.push_back({i * factor % rows, i, {}});
    write_records(path, all);
  };
  write(left, n, 1);
  write(right, n, prime);
  for (const auto& [mib, threads] : {std::pair{14, 1u}, {16, 1u}, {24, 1u}, {14, 3u}, {32, 3u}}) {
    session s(settings(folder, std::size_t(mib) * scaled_mib, threads));
    const auto pairs =
        s.raw<wide>(left)
            .join(s.raw<wide>(right), &wide::key, &wide::key,
                  [](const wide& a, const wide& b) { return wide_pair{a, b.row, 0}; })
            .sort_by(&wide_pair::right);
    std::int64_t next = 0, wrong = 0;
    pairs.for_each_chunk([&](std::span<const wide_pair> chunk) {
      for (const auto& one : chunk) {
        wrong += one.right != next || one.left.row != next * prime % n;
        ++next;
      }
    });
    EXPECT_EQ(next, n) << mib;
    EXPECT_EQ(wrong, 0) << mib;
    EXPECT_LE(s.host_memory_peak(), s.host_memory());
  }
}

}  // namespace
}  // namespace pappus::spilled_join_text
