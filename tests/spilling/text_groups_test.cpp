// Groups of more strings than memory has room for: the same bits as with plenty of memory, plans,
// errors, and that nothing is left behind.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/bad_disks.h"
#include "support/cancels.h"
#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::spilled_text_groups {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::scaled_mib;
using testing::spill_folder;

constexpr std::size_t plenty = 2048 * scaled_mib;

struct visit {
  std::string_view page, visitor;
  double value;
};

enum class shape { random, sorted, skewed, one_hot, long_text };

/// Text of 0 to 40 bytes, which goes in the order of numbers at most where the shape is sorted.
std::string page_of(shape which, std::int64_t number) {
  if (number == 0) return {};
  if (which == shape::sorted) {
    const auto digits = std::to_string(number);
    return "/sorted/" + std::string(9 - digits.size(), '0') + digits;
  }
  std::string page = "/" + std::to_string(number * 7'919 % 1'000'003);
  page.append(static_cast<std::size_t>(number % 23), static_cast<char>('a' + number % 26));
  if (which == shape::long_text && number % 1'000 == 1) page += std::string(20'000, 'l');
  return page;
}

std::int64_t number_of(shape which, std::int64_t row, std::int64_t rows, std::int64_t groups,
                       std::mt19937_64& random) {
  const auto any = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(groups));
  switch (which) {
    case shape::sorted:
      return row * groups / rows;
    case shape::skewed:
      return any * any / groups;
    case shape::one_hot:  // one that comes late, too
      return row % 2 == 0 && row > rows / 2 ? 42 : any + 50;
    default:
      return any;
  }
}

/// A folder to spill to, and beside it a CSV file of visits.
struct a_disk {
  spill_folder folder;
  std::string path = folder.path() + ".visits.csv";
  a_disk(shape which, std::int64_t rows, std::int64_t groups, unsigned seed) {
    std::mt19937_64 random(seed);
    std::string text = "page,visitor,value\n";
    for (std::int64_t i = 0; i < rows; ++i) {
      text += page_of(which, number_of(which, i, rows, groups, random));
      text += ",visitor " + std::to_string(random() % 625) + ',';
      text += std::to_string(static_cast<std::int64_t>(random() % 2'000'001) - 1'000'000) + "e-3\n";
    }
    std::ofstream(path, std::ios::binary) << text;
  }
  auto visits(session& in) const {
    return in.csv<visit>(path, column("page", &visit::page), column("visitor", &visit::visitor),
                         column("value", &visit::value));
  }
};

struct group {
  std::string key;
  std::uint64_t bits;
  bool operator==(const group&) const = default;
};

/// Of groups whose keys are strings, that have a number each, in their order.
template <typename Groups>
std::vector<group> groups_of(Groups&& groups) {
  std::vector<group> found;
  groups.for_each_chunk([&](const auto& chunk) {
    for (const auto& one : chunk) {
      group made{std::string(one.key), 0};
      std::memcpy(&made.bits, &one.value, sizeof one.value);
      found.push_back(std::move(made));
    }
  });
  return found;
}

/// Its result depends on how records are added, and on their text.
struct text_sum {
  double sum = 0;
  std::int64_t bytes = 0;
  void accumulate(const visit& one) {
    sum += one.value * static_cast<double>(one.visitor.size() + one.visitor.back());
    bytes += static_cast<std::int64_t>(one.page.size());
  }
  void merge(const text_sum& other) {
    sum += other.sum;
    bytes += other.bytes;
  }
  double finalize() const { return sum + static_cast<double>(bytes); }
};

// Keys of two parts, of few groups and of some.
constexpr auto beginning = [](const visit& one) {
  return pair(one.value > 0, one.page.substr(0, 2));
};
constexpr auto sign_and_visitor = [](const visit& one) { return pair(one.visitor, one.value > 0); };
constexpr auto text_of_key = [](const auto& group) {
  if constexpr (std::is_same_v<decltype(group.key.first), bool>)
    return keyed<std::string_view, double>{group.key.second, group.value};
  else
    return keyed<std::string_view, double>{group.key.first, group.value};
};

/// Results of which each depends on how rows are added, or on which groups there are.
std::vector<std::vector<group>> results(const a_disk& disk, session& s) {
  const auto rows = disk.visits(s);
  std::vector<group> different;
  rows.map(&visit::page).distinct().for_each_chunk([&](std::span<const std::string_view> chunk) {
    for (const auto& one : chunk) different.push_back({std::string(one), 0});
  });
  return {
      groups_of(rows.group_by(&visit::page).sum(&visit::value)),
      groups_of(rows.filter([](const visit& one) { return one.value > 0; })
                    .group_by([](const visit& one) { return one.page.substr(one.page.size() / 4); })
                    .mean(&visit::value)),
      groups_of(rows.group_by(&visit::page).count()),
      groups_of(rows.group_by(beginning).sum(&visit::value).map(text_of_key)),
      groups_of(rows.group_by(sign_and_visitor).mean(&visit::value).map(text_of_key)),
      groups_of(rows.group_by(&visit::page).reduce<text_sum>()),
      different,
  };
}

TEST(spilled_text_groups, are_the_same_bits_in_little_memory) {
  const struct {
    shape which;
    std::int64_t rows, groups;
    unsigned threads;
  } all[] = {{shape::random, 18'750, 12'500, 3},
             {shape::sorted, 15'000, 10'000, 2},
             {shape::skewed, 10'000, 12'500, 1},
             {shape::one_hot, 7'500, 5'000, 3},
             {shape::long_text, 3'750, 3'125, 2}};
  unsigned seed = 1;
  for (const auto& [which, rows, groups, threads] : all) {
    SCOPED_TRACE(static_cast<int>(which));
    const a_disk disk(which, rows, groups, seed++);
    session large(settings(disk.folder, plenty));
    const auto expected = results(disk, large);
    const std::size_t least = (8 + 2 * threads) * scaled_mib;
    session s(settings(disk.folder, least, threads));
    EXPECT_TRUE(results(disk, s) == expected);
    EXPECT_EQ(s.host_memory_used(), 0u);
    EXPECT_LE(s.host_memory_peak(), least);
  }
}

// Where leaves are cut depends on the groups of the first 2^17 rows, late ones among them.
TEST(spilled_text_groups, are_the_same_bits_behind_the_first_rows) {
  for (const auto which : {shape::random, shape::sorted}) {
    const a_disk disk(which, 162'500, 18'750, 21);
    const auto sums = [&](session& in) {
      return groups_of(disk.visits(in).group_by(&visit::page).sum(&visit::value));
    };
    session s(settings(disk.folder, 20 * scaled_mib)), large(settings(disk.folder, plenty));
    EXPECT_TRUE(sums(s) == sums(large)) << static_cast<int>(which);
  }
}

TEST(spilled_text_groups, are_explained) {
  const a_disk disk(shape::random, 43'750, 1'250'000, 7);
  session s(settings(disk.folder, 14 * scaled_mib, 3)), large(settings(disk.folder, plenty));
  const auto groups = [&](session& in) {
    return disk.visits(in).group_by(&visit::page).variance(&visit::value).count();
  };
  EXPECT_EQ(groups(s).get(), groups(large).get());
  EXPECT_THAT(groups(s).explain(), HasSubstr("groups in order"));
  EXPECT_THAT(groups(s).explain_analyze(),
              AllOf(HasSubstr(" rows were late, for there was room for "),
                    HasSubstr(" different keys: sorted in "), HasSubstr("spill file: ")));
  EXPECT_THAT(groups(large).explain_analyze(), Not(HasSubstr("rows were late")));
}

/// Text in memory, and rows that point to it.
struct rows_in_memory {
  std::vector<std::string> pages;
  std::vector<visit> rows;
  explicit rows_in_memory(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) pages.push_back(page_of(shape::random, i * i % 125'003));
    for (std::int64_t i = 0; i < n; ++i)
      rows.push_back({pages[static_cast<std::size_t>(i)], "anyone", static_cast<double>(i) * 0.1});
  }
};

TEST(spilled_text_groups, of_rows_in_memory_rest_as_well) {
  const rows_in_memory of(18'750);
  const a_disk disk(shape::random, 0, 1, 1);
  session s(settings(disk.folder, 16 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto sums = [&](session& in) {
    return groups_of(in.borrow(of.rows).group_by(&visit::page).sum(&visit::value));
  };
  EXPECT_TRUE(sums(s) == sums(large));
  EXPECT_THAT(s.borrow(of.rows).group_by(&visit::page).sum(&visit::value).explain_analyze(),
              HasSubstr("rows were late"));
}

// Their text stays where it is: it would have no room.
TEST(spilled_text_groups, of_long_text_in_memory_need_no_copies_of_it) {
  constexpr std::int64_t n = 7'500;
  std::vector<std::string> pages;
  std::vector<visit> rows;
  for (std::int64_t i = 0; i < n; ++i)
    pages.push_back(std::string(1'000, 'p') + std::to_string(i * 7'919 % (n / 2)));
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back({pages[static_cast<std::size_t>(i)], {}, static_cast<double>(i) * 0.1});
  const a_disk disk(shape::random, 0, 1, 1);
  session s(settings(disk.folder, 20 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto sums = [&](session& in) {
    return groups_of(in.borrow(rows).group_by(&visit::page).sum(&visit::value));
  };
  EXPECT_TRUE(sums(s) == sums(large));
}

/// A wide state, of which memory has room for few.
struct histogram {
  std::array<double, 32> sums{};
  void accumulate(double value) {
    sums[static_cast<std::size_t>(std::abs(value)) % 32] += value * 0.1;
  }
  void merge(const histogram& other) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += other.sums[i];
  }
  double finalize() const {
    double all = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) all = all * 0.5 + sums[i];
    return all;
  }
};

TEST(spilled_text_groups, may_have_wide_states) {
  const a_disk disk(shape::random, 120'000, 90'000, 12);
  const auto groups = [&](session& in) {
    return groups_of(disk.visits(in).group_by(&visit::page).reduce<histogram>(&visit::value));
  };
  session s(settings(disk.folder, 192 * scaled_mib)), large(settings(disk.folder, plenty));
  EXPECT_TRUE(groups(s) == groups(large));
  EXPECT_LE(s.host_memory_peak(), 192 * scaled_mib);
}

// Its state is of groups, and goes through one after the other: their text mustn't pile up.
TEST(spilled_text_groups, may_be_the_state_of_a_loop) {
  const rows_in_memory of(7'500);
  const a_disk disk(shape::random, 0, 1, 1);
  const auto looped = [&](session& in) {
    const auto last = in.do_while(
        in.borrow(of.rows),
        [](const auto& state) {
          return state.group_by(&visit::page).sum(&visit::value).map([](const auto& one) {
            return visit{one.key, {}, one.value * 0.5};
          });
        },
        [](std::span<const visit>, std::span<const visit>) { return true; }, max_iterations{12});
    return last.map(&visit::value).sum().get();
  };
  session s(settings(disk.folder, 20 * scaled_mib)), large(settings(disk.folder, plenty));
  EXPECT_EQ(looped(s), looped(large));
}

TEST(spilled_text_groups, go_on_to_their_reader_in_windows) {
  const a_disk disk(shape::random, 25'000, 1'250'000, 4);
  session s(settings(disk.folder, 26 * scaled_mib)), large(settings(disk.folder, plenty));
  const auto programs = [&](session& in) {
    const auto sums = disk.visits(in).group_by(&visit::page).sum(&visit::value);
    const auto starts =
        sums.map([](const auto& one) { return visit{one.key.substr(0, 5), one.key, one.value}; });
    std::vector<std::string> sorted;
    starts.sort_by(&visit::value).for_each_chunk([&](std::span<const visit> chunk) {
      for (const auto& one : chunk) sorted.emplace_back(one.visitor);
    });
    return std::tuple(groups_of(starts.group_by(&visit::page).count()), sorted);
  };
  EXPECT_TRUE(programs(s) == programs(large));
  EXPECT_EQ(s.host_memory_used(), 0u);
}

// Rows with slow keys are extracted by several workers.
TEST(spilled_text_groups, keep_the_order_of_slow_rows) {
  const a_disk disk(shape::random, 2'500, 2'250, 5);
  session large(settings(disk.folder, plenty, 3));
  const auto means = [&](session& in) {
    return groups_of(disk.visits(in)
                         .flat_map([](const visit& one) {
                           return std::vector<visit>(one.page.size() % 7 == 3 ? 9 : 1, one);
                         })
                         .group_by([](const visit& one) {
                           std::atomic<int> spin = 0;
                           for (int i = 0; one.page.size() % 5 == 1 && i < 20'000; ++i) spin = i;
                           return one.page;
                         })
                         .sum(&visit::value));
  };
  const auto expected = means(large);
  session s(settings(disk.folder, 14 * scaled_mib, 3));
  EXPECT_TRUE(means(s) == expected);
}

/// What a function of a group's records yields: it depends on all of them, and their order.
struct visits_of_page {
  std::string_view page, last_visitor;
  std::int64_t mixed;
};

std::vector<std::tuple<std::string, std::string, std::int64_t>> ranges(const a_disk& disk,
                                                                       session& s) {
  std::vector<std::tuple<std::string, std::string, std::int64_t>> found;
  disk.visits(s)
      .group_by(&visit::page)
      .map_groups([](std::string_view page, std::span<const visit> rows) {
        std::uint64_t mixed = rows.size();
        for (const auto& one : rows) {
          mixed = mixed * 31 + static_cast<std::uint64_t>(std::llround(one.value * 1000));
          for (const char c : one.visitor) mixed = mixed * 31 + static_cast<unsigned char>(c);
          mixed += one.page == page ? 0 : 1;
        }
        return visits_of_page{page, rows.back().visitor, static_cast<std::int64_t>(mixed >> 1)};
      })
      .for_each_chunk([&](std::span<const visits_of_page> chunk) {
        for (const auto& one : chunk) found.emplace_back(one.page, one.last_visitor, one.mixed);
      });
  return found;
}

TEST(spilled_text_groups, are_ranges_in_little_memory) {
  const struct {
    shape which;
    std::int64_t rows, groups;
    unsigned threads;
  } all[] = {{shape::random, 25'000, 6'250, 3},
             {shape::sorted, 25'000, 125, 2},
             {shape::one_hot, 7'500, 3'750, 3},
             {shape::long_text, 6'250, 2'500, 1}};
  unsigned seed = 11;
  for (const auto& [which, rows, groups, threads] : all) {
    SCOPED_TRACE(static_cast<int>(which));
    const a_disk disk(which, rows, groups, seed++);
    session large(settings(disk.folder, plenty));
    const auto expected = ranges(disk, large);
    for (const std::size_t memory : {(10 + 2 * threads) * scaled_mib, 40 * scaled_mib}) {
      session s(settings(disk.folder, memory, threads));
      EXPECT_TRUE(ranges(disk, s) == expected) << memory;
      EXPECT_EQ(s.host_memory_used(), 0u);
      EXPECT_LE(s.host_memory_peak(), memory);
    }
  }
}

TEST(spilled_text_groups, of_one_page_that_has_no_room_are_refused_by_name) {
  const a_disk disk(shape::skewed, 37'500, 1, 3);  // all have no name
  session s(settings(disk.folder, 14 * scaled_mib));
  const auto refused = [&] { ranges(disk, s); };
  EXPECT_THAT(refused, ::testing::ThrowsMessage<memory_error>(
                           AllOf(HasSubstr("the group of key \"\" has "), HasSubstr(" records"))));
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_text_groups, are_refused_where_nothing_may_go_to_a_disk) {
  const a_disk disk(shape::random, 50'000, 6'250'000, 5);
  auto off = settings(disk.folder, 12 * scaled_mib);
  off.spill = "off";
  session s(off);
  EXPECT_THROW(groups_of(disk.visits(s).group_by(&visit::page).count()), memory_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(spilled_text_groups, on_a_bad_disk_are_right_or_the_error) {
  const a_disk disk(shape::random, 25'000, 6'250'000, 6);
  session large(settings(disk.folder, plenty));
  const auto groups = [&](session& in) {
    return groups_of(disk.visits(in).group_by(&visit::page).sum(&visit::value));
  };
  const auto expected = groups(large);
  testing::expect_right_or_spill_error(
      {.faults = "+eio=0.0003+flip=0.0003", .little = "384KiB", .count = 9},
      settings(disk.folder, 10 * scaled_mib, 1), "group_by",
      [&](session& s) { return groups(s) == expected; });
}

TEST(spilled_text_groups, leave_nothing_behind_when_a_function_throws) {
  const a_disk disk(shape::random, 12'500, 6'250'000, 8);
  session s(settings(disk.folder, 12 * scaled_mib));
  std::atomic<std::int64_t> calls = 0;
  for (const std::int64_t when : {125, 6'250, 12'375}) {
    calls = 0;
    const auto counts = disk.visits(s).group_by([&, when](const visit& one) {
      if (++calls == when) throw std::runtime_error("no key");
      return one.page;
    });
    EXPECT_THROW(groups_of(counts.count()), std::runtime_error) << when;
    EXPECT_EQ(s.host_memory_used(), 0u) << when;
  }
}

TEST(spilled_text_groups, can_be_cancelled_at_any_time) {
  const a_disk disk(shape::random, 10'000, 6'250'000, 9);
  session s(settings(disk.folder, 12 * scaled_mib));
  const auto groups = [&] {
    return groups_of(disk.visits(s).group_by(&visit::page).sum(&visit::value));
  };
  const auto expected = groups();
  testing::expect_cancellable_at_any_time(s, 12'500, 1'250,
                                          [&] { EXPECT_TRUE(groups() == expected); });
  EXPECT_TRUE(groups() == expected);
}

}  // namespace
}  // namespace pappus::spilled_text_groups
