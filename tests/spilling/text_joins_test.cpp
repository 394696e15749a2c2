// Joins by strings whose right side goes to the spill file: the same pairs as with plenty of
// memory, plans, errors, and that nothing is left behind.
#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/bad_disks.h"
#include "support/cancels.h"
#include "support/raw_file.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_text_joins {
namespace {

using ::testing::HasSubstr;
using testing::scaled_mib;
using testing::spill_folder;
using testing::write_records;

constexpr std::size_t plenty = 1024 * scaled_mib;

struct visit {
  std::string_view page;
  double seconds;
};
struct page {
  std::string_view name, title;
  std::int64_t number;
};

/// Of 0 to 40 bytes.
std::string name_of(std::int64_t number) {
  if (number == 0) return {};
  std::string name = "/" + std::to_string(number * 7'919 % 1'000'003);
  name.append(static_cast<std::size_t>(number % 31), static_cast<char>('a' + number % 26));
  return name;
}

/// A folder to spill to, and beside it CSV files of visits and pages. Each page is there `times`
/// times, and some visits are to pages that don't exist.
struct a_disk {
  spill_folder folder;
  std::string left = folder.path() + ".visits.csv", right = folder.path() + ".pages.csv";
  a_disk(std::int64_t visits, std::int64_t pages, std::int64_t times) {
    std::string text = "page,seconds\n";
    for (std::int64_t i = 0; i < visits; ++i)
      text += name_of(i * 31 % (pages + pages / 4)) + "," + std::to_string(i % 1'000) + "e-3\n";
    std::ofstream(left, std::ios::binary) << text;
    text = "name,title,number\n";
    for (std::int64_t i = 0; i < pages * times; ++i)
      text += name_of(i * 7 % pages) + ",Page number " + std::to_string(i) + "," +
              std::to_string(i) + "\n";
    std::ofstream(right, std::ios::binary) << text;
  }
  auto visits(session& in) const {
    return in.csv<visit>(left, column("page", &visit::page), column("seconds", &visit::seconds));
  }
  auto pages(session& in) const {
    return in.csv<page>(right, column("name", &page::name), column("title", &page::title),
                        column("number", &page::number));
  }
};

struct visited {
  std::string_view page, title;
  double seconds;
};

/// All of it, in order.
template <typename Rows>
std::string text_of(const Rows& rows) {
  std::string all;
  rows.for_each_chunk([&](std::span<const visited> chunk) {
    for (const auto& one : chunk) {
      all.append(one.page).append(",").append(one.title);
      all.append(",").append(std::to_string(one.seconds)).append("\n");
    }
  });
  return all;
}

visited both(const visit& a, const page& b) { return {a.page, b.title, a.seconds}; }

std::vector<std::string> results(session& s, const a_disk& disk) {
  const auto visits = disk.visits(s);
  const auto pages = disk.pages(s);
  const auto alone = [](const visit& a) { return visited{a.page, {}, a.seconds}; };
  return {
      text_of(visits.join(pages, &visit::page, &page::name, both)),
      text_of(visits.left_join(pages, &visit::page, &page::name,
                               [](const visit& a, const page* b) {
                                 return b ? both(a, *b) : visited{a.page, "none", a.seconds};
                               })),
      text_of(visits.semi_join(pages, &visit::page, &page::name).map(alone)),
      text_of(visits.anti_join(pages, &visit::page, &page::name).map(alone)),
      text_of(pages.right_join(visits, &page::name, &visit::page,
                               [](const page* b, const visit& a) {
                                 return visited{a.page, b ? b->title : "none", a.seconds};
                               })),
      text_of(visits.filter([](const visit& one) { return one.seconds > 0.2; })
                  .join(
                      pages.filter([](const page& one) { return one.number % 5 != 0; }),
                      [](const visit& one) { return one.page.substr(one.page.empty() ? 0 : 1); },
                      [](const page& one) { return one.name.substr(one.name.empty() ? 0 : 1); },
                      both)
                  .skip(125)
                  .take(1'250)),
      std::to_string(
          visits.join(pages, &visit::page, &page::name, both).map(&visited::seconds).sum().get()),
  };
}

TEST(spilled_text_joins, are_the_same_pairs_in_little_memory) {
  const struct {
    std::int64_t visits, pages, times;
    unsigned threads;
  } all[] = {{1'875, 10'000, 1, 2}, {1'875, 2'500, 4, 3}, {1'875, 10'000, 1, 1}};
  for (const auto& [visits, pages, times, threads] : all) {
    SCOPED_TRACE(threads);
    const a_disk disk(visits, pages, times);
    session large(settings(disk.folder, plenty));
    const std::size_t least = (10 + 2 * threads) * scaled_mib;
    session s(settings(disk.folder, least, threads));
    const auto found = results(s, disk), expected = results(large, disk);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << i;
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), least);
  }
}

TEST(spilled_text_joins, are_those_of_a_loop_over_both_sides) {
  constexpr std::int64_t visits = 2'500, pages = 7'500;
  const a_disk disk(visits, pages, 2);
  std::unordered_map<std::string, std::vector<std::int64_t>> by_name;
  for (std::int64_t i = 0; i < 2 * pages; ++i) by_name[name_of(i * 7 % pages)].push_back(i);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < visits; ++i)
    for (const auto number : by_name[name_of(i * 31 % (pages + pages / 4))])
      expected.push_back(number);
  session s(settings(disk.folder, 13 * scaled_mib));
  const auto pairs = disk.visits(s).join(disk.pages(s), &visit::page, &page::name,
                                         [](const visit&, const page& b) { return b.number; });
  EXPECT_THAT(pairs.explain(), HasSubstr("to ask for right rows"));
  EXPECT_TRUE(std::ranges::equal(pairs.collect(), expected));
  EXPECT_THAT(pairs.count().explain_analyze(), HasSubstr("windows asked for"));
}

// Such joins need right rows for nothing but the text of their keys.
TEST(spilled_text_joins, tell_which_records_have_a_match) {
  constexpr std::int64_t visits = 3'750, pages = 10'000;
  const a_disk disk(visits, pages, 1);
  std::int64_t expected = 0;
  for (std::int64_t i = 0; i < visits; ++i) expected += i * 31 % (pages + pages / 4) < pages;
  for (const std::size_t memory : {12 * scaled_mib, plenty}) {
    session s(settings(disk.folder, memory));
    const auto left = disk.visits(s);
    const auto right = disk.pages(s);
    EXPECT_EQ(left.semi_join(right, &visit::page, &page::name).count().get(), expected);
    EXPECT_EQ(left.anti_join(right, &visit::page, &page::name).count().get(), visits - expected);
    EXPECT_EQ(left.map(&visit::page).intersect(right.map(&page::name)).count().get(),
              left.semi_join(right, &visit::page, &page::name)
                  .map(&visit::page)
                  .distinct()
                  .count()
                  .get());
  }
}

// That a record has a match is all that is asked, however many it has.
TEST(spilled_text_joins, need_one_of_many_rows_to_tell_that_there_are_some) {
  const spill_folder folder;
  const std::string path = folder.path() + ".log.csv";
  {
    std::string text = "page,seconds\n";
    for (std::int64_t i = 0; i < 37'500; ++i)
      text += (i % 2 == 0 ? std::string("index") : name_of(i)) + ",0.5\n";
    std::ofstream(path, std::ios::binary) << text;
  }
  const a_disk disk(1, 5'000, 1);
  session s(settings(disk.folder, 14 * scaled_mib));
  const auto log =
      s.csv<visit>(path, column("page", &visit::page), column("seconds", &visit::seconds));
  const auto index = [](const page& one) {
    return one.number % 100 == 0 ? std::string_view("index") : one.name;
  };
  const auto found = disk.pages(s).semi_join(log, index, &visit::page);
  EXPECT_THAT(found.explain(), HasSubstr("to ask for right rows"));
  std::int64_t expected = 0;  // page number i is called 7 * i
  for (std::int64_t i = 0; i < 5'000; ++i)
    expected += i % 100 == 0 || i * 7 % 5'000 % 2 == 1 ? 1 : 0;
  EXPECT_EQ(found.count().get(), expected);
}

/// Keys that lie in the records themselves.
struct named {
  std::array<char, 12> name;
  std::int64_t number;
  std::string_view key() const { return {name.data(), name.size()}; }
};

TEST(spilled_text_joins, find_keys_that_lie_in_records) {
  const spill_folder folder;
  const std::string path = folder.path() + ".named.raw";
  constexpr std::int64_t n = 50'000;
  {
    std::vector<named> rows;
    for (std::int64_t i = 0; i < n; ++i) {
      named one{{}, i};
      const auto text = std::to_string(i * 7'919 % n);
      std::ranges::copy(text, one.name.begin());
      rows.push_back(one);
    }
    write_records(path, rows);
  }
  session s(settings(folder, 14 * scaled_mib));
  const auto key = [](const named& one) { return one.key(); };
  const auto right = s.raw<named>(path);
  const auto pairs = right.take(6'250).join(right, key, key, [](const named& a, const named& b) {
    return a.number == b.number ? b.number : -1;
  });
  EXPECT_THAT(pairs.explain(), HasSubstr("to ask for right rows"));
  EXPECT_EQ(pairs.sum().get(), std::int64_t{6'250} * 6'249 / 2);
}

TEST(spilled_text_joins, on_a_bad_disk_are_right_or_the_error) {
  const a_disk disk(3'750, 12'500, 1);
  session large(settings(disk.folder, plenty));
  const auto pairs = [&](session& in) {
    return text_of(disk.visits(in).join(disk.pages(in), &visit::page, &page::name, both));
  };
  const auto expected = pairs(large);
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.0003+flip=0.0003", .little = "384KiB", .count = 9},
      settings(disk.folder, 12 * scaled_mib, 1), "join",
      [&](session& s) { return pairs(s) == expected; });
}

TEST(spilled_text_joins, can_be_cancelled_at_any_time) {
  const a_disk disk(6'250, 12'500, 1);
  session s(settings(disk.folder, 13 * scaled_mib));
  const auto pairs = [&] {
    return text_of(disk.visits(s).join(disk.pages(s), &visit::page, &page::name, both));
  };
  const auto expected = pairs();
  testing::expect_cancellable_at_any_time(s, 12'500, 1'250,
                                          [&] { EXPECT_TRUE(pairs() == expected); });
  EXPECT_TRUE(pairs() == expected);
}

}  // namespace
}  // namespace pappus::spilled_text_joins
