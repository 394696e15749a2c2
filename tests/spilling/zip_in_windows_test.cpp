// Rows that are read in step with those of a file (zip), and come in windows as these do.
#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/raw_file.h"
#include "support/result_bytes.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::zip_in_windows {
namespace {

using testing::bytes_of;
using testing::bytes_of_value;
using ::testing::HasSubstr;
using testing::scaled_mib;
using testing::spill_folder;
using testing::write_records;

constexpr std::size_t little = 12 * scaled_mib, plenty = 1024 * scaled_mib;

struct item {
  std::int64_t key;
  double value;
};

/// Files of numbers, items and named numbers (as CSV), of so many rows.
struct files {
  spill_folder folder;
  std::string numbers = folder.path() + ".numbers.raw", items = folder.path() + ".items.raw",
              names = folder.path() + ".names.csv";
  files(std::int64_t of_numbers, std::int64_t of_items, std::int64_t of_names) {
    std::vector<std::int64_t> some;
    for (std::int64_t i = 0; i < of_numbers; ++i) some.push_back(i * 7'919 % 125'003);
    std::vector<item> pairs;
    for (std::int64_t i = 0; i < of_items; ++i)
      pairs.push_back({i * 104'729 % 98'297, static_cast<double>(i) * 0.1});
    write_records(numbers, some);
    write_records(items, pairs);
    std::ofstream file(names);
    file << "name,number\n";
    for (std::int64_t i = 0; i < of_names; ++i)
      file << fmt::format("name of {},{}\n", i * 31 % 1'009, i);
  }
};

struct named {
  std::string_view name;
  std::int64_t number;
};

struct inputs {
  collection<std::int64_t> numbers;
  collection<item> items;
  collection<named> names;
};
inputs open(session& s, const files& of) {
  return {s.raw<std::int64_t>(of.numbers), s.raw<item>(of.items),
          s.csv<named>(of.names, column("name", &named::name), column("number", &named::number))};
}

/// The same rows, none of which come in windows.
inputs in_memory(const inputs& of) {
  inputs kept{of.numbers.cache(), of.items.cache(), of.names.cache()};
  kept.numbers.count().get(), kept.items.count().get(), kept.names.count().get();
  return kept;
}

double value_of(const pair<std::int64_t, item>& p) {
  return static_cast<double>(p.first) + p.second.value;
}
item item_of(const pair<std::int64_t, item>& p) { return {p.second.key, value_of(p)}; }

struct named_query {
  const char* name;
  std::function<std::vector<char>(session&, const inputs&)> run;
};
const std::vector<named_query>& zips() {
  static const std::vector<named_query> all{
      {"a sum of two files",
       [](session&, const inputs& of) {
         return bytes_of_value(of.numbers.zip(of.items).map(value_of).sum().get());
       }},
      {"the other way round",
       [](session&, const inputs& of) {
         return bytes_of(of.items.zip(of.numbers)
                             .map([](const auto& p) { return p.first.value - p.second; })
                             .skip(37'500));
       }},
      {"three of them",
       [](session&, const inputs& of) {
         return bytes_of_value(of.numbers.zip(of.items)
                                   .zip(of.names)
                                   .map([](const auto& p) {
                                     return static_cast<std::int64_t>(p.second.name.size()) *
                                                p.first.first +
                                            p.second.number;
                                   })
                                   .sum()
                                   .get());
       }},
      {"a filter",
       [](session&, const inputs& of) {
         const auto odd = of.numbers.filter([](std::int64_t x) { return x % 4 != 0; });
         return bytes_of(odd.zip(of.items).map(value_of).skip(12'500));
       }},
      {"a filter that comes second",
       [](session&, const inputs& of) {
         const auto few = of.items.filter([](const item& x) { return x.key % 8 != 5; });
         return bytes_of(of.numbers.zip(few).map(value_of).skip(12'500));
       }},
      {"a sort that comes second",
       [](session&, const inputs& of) {
         return bytes_of(of.numbers.zip(of.items.sort_by(&item::key)).map(value_of).skip(12'500));
       }},
      {"with the next",
       [](session&, const inputs& of) {
         return bytes_of(of.items.zip(of.items.skip(1))
                             .map([](const auto& p) { return p.second.value - p.first.value; })
                             .skip(12'500));
       }},
  };
  return all;
}
const std::vector<named_query>& behind_zips() {
  static const std::vector<named_query> all{
      {"then sorted",
       [](session&, const inputs& of) {
         return bytes_of(of.numbers.zip(of.items).map(item_of).sort_by(&item::key).skip(25'000));
       }},
      {"then grouped",
       [](session&, const inputs& of) {
         return bytes_of(
             of.numbers.zip(of.items).map(item_of).group_by(&item::key).sum(&item::value));
       }},
      {"then joined",
       [](session&, const inputs& of) {
         const auto left = of.numbers.zip(of.items).map(item_of);
         return bytes_of_value(
             left.join(of.items, &item::key, &item::key,
                       [](const item& a, const item& b) { return a.value - b.value; })
                 .count()
                 .get());
       }},
      {"of a cache",
       [](session&, const inputs& of) {
         const auto kept = of.items.cache();
         const auto sum = of.numbers.zip(kept).map(value_of).sum().get();
         return bytes_of(kept.zip(of.numbers)
                             .map([sum](const auto& p) {
                               return p.first.value + static_cast<double>(p.second) - sum;
                             })
                             .skip(12'500));
       }},
      {"with a range",
       [](session& s, const inputs& of) {
         return bytes_of(of.items.zip(s.range(0, 43'750))
                             .map([](const auto& p) { return p.first.value * p.second; })
                             .skip(12'500));
       }},
      {"the first of them",
       [](session&, const inputs& of) {
         return bytes_of(of.numbers.zip(of.names)
                             .map([](const auto& p) { return p.first * p.second.number; })
                             .take(1'000));
       }},
      {"a scan",
       [](session&, const inputs& of) {
         return bytes_of(of.numbers.zip(of.items).map(value_of).inclusive_scan().skip(37'500));
       }},
      {"itself",
       [](session&, const inputs& of) {
         return bytes_of_value(
             of.items.zip(of.items)
                 .map([](const auto& p) { return p.first.value * p.second.value; })
                 .sum()
                 .get());
       }},
      {"with rows behind others",
       [](session&, const inputs& of) {
         return bytes_of(
             of.items.take(5).concat(of.items.skip(7)).zip(of.numbers).map([](const auto& p) {
               return p.first.value + static_cast<double>(p.second);
             }));
       }},
  };
  return all;
}

TEST(zip_in_windows, yields_the_rows_that_it_does_in_memory) {
  constexpr std::array<std::int64_t, 3> lengths[] = {{62'500, 100'000, 37'501},
                                                     {100, 75'000, 1},
                                                     {87'500, 75'000, 50'000},
                                                     {50'000, 50'000, 50'000},
                                                     {75'000, 0, 10}};
  for (const auto& [numbers, items, names] : lengths) {
    const files of(numbers, items, names);
    session with_plenty(settings(of.folder, plenty)), s(settings(of.folder, little));
    const auto got = open(s, of), expected = in_memory(open(with_plenty, of));
    for (const auto* queries : {&zips(), &behind_zips()})
      for (const auto& [name, run] : *queries) {
        SCOPED_TRACE(
            fmt::format("{} numbers, {} items, {} names: {}", numbers, items, names, name));
        EXPECT_TRUE(run(s, got) == run(with_plenty, expected));
      }
    EXPECT_LE(s.host_memory_peak(), little);
    EXPECT_EQ(s.host_memory_used(), 0u);
  }
}

TEST(zip_in_windows, ends_with_the_shortest) {
  for (const std::size_t memory : {little, plenty}) {
    const files of(75'000, 125'000, 125);
    session s(settings(of.folder, memory));
    const auto [numbers, items, names] = open(s, of);
    EXPECT_EQ(numbers.zip(items).count().get(), 75'000);
    EXPECT_EQ(items.zip(numbers).count().get(), 75'000);
    EXPECT_EQ(items.zip(names).count().get(), 125);
    EXPECT_EQ(names.zip(items).count().get(), 125);
    EXPECT_EQ(items.zip(s.range(0, 10)).count().get(), 10);
    EXPECT_EQ(s.range(0, 10).zip(items).count().get(), 10);
    EXPECT_EQ(items.zip(s.range(0, 0)).count().get(), 0);
    EXPECT_EQ(items.zip(s.range(5, 87'505)).map([](const auto& p) { return p.second; }).max().get(),
              87'504);
    EXPECT_EQ(items.zip(s.from(std::vector{1, 2, 3})).count().get(), 3);
    EXPECT_EQ(s.from(std::vector{1, 2, 3}).zip(items).count().get(), 3);
    const auto few = items.zip(s.range(0, 37'500)).map([](const auto& p) { return p.first; });
    EXPECT_EQ(few.sort_by(&item::key).count().get(), 37'500);
    EXPECT_EQ(few.semi_join(items, &item::key, &item::key).count().get(), 37'500);
    EXPECT_EQ(items.zip(numbers.filter([](std::int64_t x) { return x < 0; })).count().get(), 0);
  }
}

TEST(zip_in_windows, is_explained) {
  const files of(87'500, 75'000, 10);
  session s(settings(of.folder, little));
  const auto [numbers, items, names] = open(s, of);
  const auto sum = numbers.zip(items).map(value_of).sum();
  EXPECT_THAT(sum.explain(), HasSubstr("streams its input in windows"));
  EXPECT_THAT(sum.explain_analyze(), HasSubstr("streamed in"));
}

}  // namespace
}  // namespace pappus::zip_in_windows
