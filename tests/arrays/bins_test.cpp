// Launches that reduce into elements nobody knows before, of arrays larger than caches: values come
// to each element in the order of the indices, whatever threads, leaves and memory are.
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "session/session.h"
#include "support/held_launches.h"
#include "support/sanitizers.h"
#include "support/spill_folder.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

/// A linear function modulo 2^32, of which values are composed: another order is another function.
struct composed {
  std::uint32_t factor = 1, constant = 0;
  void accumulate(std::uint32_t x) { merge({2 * x + 3, x}); }
  void merge(const composed& o) {
    constant = o.factor * constant + o.constant;
    factor *= o.factor;
  }
  friend bool operator==(const composed&, const composed&) = default;
};

/// Where index i reduces into, of n elements, and what.
struct scattered {
  std::int64_t at;
  std::uint32_t value;
};
scattered at_index(std::int64_t i, std::int64_t n) {
  const auto hash = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL;
  return {static_cast<std::int64_t>((hash >> 20) % static_cast<std::uint64_t>(n)),
          static_cast<std::uint32_t>(hash >> 44)};
}

constexpr const char* footprint = "to: global i => reduce to";
constexpr const char* plane_footprint = "to: global [i,j] => reduce to";

std::vector<composed> in_order(std::vector<composed> to, std::int64_t indices) {
  const auto n = static_cast<std::int64_t>(to.size());
  for (std::int64_t i = 0; i < indices; ++i) {
    if (i % 5 == 0) continue;
    const auto [at, value] = at_index(i, n);
    to[static_cast<std::size_t>(at)].accumulate(value);
    if (i % 3 == 0) to[static_cast<std::size_t>(n - 1 - at)].accumulate(7);
  }
  return to;
}

/// The same by a launch: some indices reduce nothing, some twice.
void scatter(session& s, std::int64_t indices, const array<composed, 1>& to) {
  s.for_each({indices},
             annotated(
                 [n = to.extents()[0]](idx<1> i, reduces<composed> to) {
                   if (i % 5 == 0) return;
                   const auto [at, value] = at_index(i, n);
                   auto& first = to[at];
                   if (i % 3 == 0) to[n - 1 - at].accumulate(7);
                   first.accumulate(value);
                 },
                 footprint),
             to);
}

void put_all_in_bins(session& s, std::int64_t item_indices) {
  detail::access::session(s)->launches().plan_for_tests(
      {.item_indices = item_indices, .always_in_bins = true});
}

TEST(bins, keep_the_order_of_values_of_an_element) {
  for (const std::int64_t indices : {0, 1, 2, 63, 1000, 20'011})
    for (const std::int64_t elements : {1, 2, 5, 64, 777})
      for (const unsigned threads : {1U, 2U, 7U})
        for (const std::int64_t items : {1'000, 17, 100'000}) {
          if (threads_sanitized && (items != 1'000 || elements == 2)) continue;
          SCOPED_TRACE(fmt::format("{} indices, {} elements, {} threads, leaves of {}", indices,
                                   elements, threads, items));
          std::vector<composed> start(static_cast<std::size_t>(elements));
          for (std::uint32_t i = 0; auto& one : start) one = {2 * i + 1, ++i};
          session s({.threads = threads, .devices = "cpu"});
          put_all_in_bins(s, items);
          const auto to = s.to_array(start);
          scatter(s, indices, to);
          ASSERT_EQ(to.to_vector(), in_order(start, indices));
        }
}

TEST(bins, take_values_of_a_part_of_an_array_with_two_dimensions) {
  constexpr std::int64_t rows = 40, columns = 33, n = 5000;
  const box<2> part{{3, 5}, {37, 30}};
  std::vector<double> expected(rows * columns, 0.5);
  const auto place = [](std::int64_t i) {
    const auto number = at_index(i, 34 * 25).at;
    return idx<2>(number / 25, number % 25);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = place(i);
    expected[static_cast<std::size_t>((at[0] + 3) * columns + at[1] + 5)] +=
        1.0 / static_cast<double>(i + 1);
  }
  for (const auto& [threads, leaf] : {std::pair{1U, 100}, {4U, 30}, {4U, 330}, {2U, 1700}}) {
    session s({.threads = threads, .devices = "cpu"});
    put_all_in_bins(s, leaf);
    const auto all = s.filled<double, 2>({rows, columns}, 0.5);
    s.for_each({50, 100},
               annotated(
                   [=](idx<2> p, reduces<double, 2> to) {
                     const auto i = p[0] * 100 + p[1];
                     to[place(i)] += 1.0 / static_cast<double>(i + 1);
                   },
                   plane_footprint),
               all[part]);
    EXPECT_EQ(all.to_vector(), expected) << threads << " threads, leaves of " << leaf;
  }
}

TEST(bins, are_for_arrays_larger_than_caches) {
  constexpr std::int64_t n = 1 << 19, elements = 300'000;
  session s({.threads = 3, .devices = "cpu"});
  const auto large = s.filled<composed>({elements}, {}), small = s.filled<composed>({1000}, {});
  {
    held_launches held(s);
    scatter(s, n, large);
    EXPECT_THAT(large.explain(), HasSubstr("puts values aside in bins of 256 KiB of to"));
    scatter(s, n, small);
    EXPECT_THAT(small.explain(), HasSubstr("leaves of"));
  }
  EXPECT_EQ(large.to_vector(), in_order(std::vector<composed>(elements), n));
  EXPECT_EQ(small.to_vector().size(), 1000U);
}

TEST(bins, hold_values_for_arrays_larger_than_memory) {
  constexpr std::int64_t n = 1 << 20, elements = 2 << 20;  // 16 MB
  const auto expected = in_order(std::vector<composed>(elements), n);
  const spill_folder folder;
  for (const unsigned threads : {1U, 4U}) {
    session s({.threads = threads,
               .host_memory = std::size_t{8} << 20,
               .devices = "cpu",
               .spill = folder.path()});
    const auto to = s.filled<composed>({elements}, {});
    scatter(s, n, to);
    constexpr std::int64_t some = elements / 16;
    for (std::int64_t begin = 0; begin < elements; begin += some)
      ASSERT_TRUE(std::ranges::equal((to[box<1>{{begin}, {begin + some}}].to_vector()),
                                     std::span(expected).subspan(begin, some)))
          << threads << " threads, from " << begin;
  }
}

TEST(bins, are_filled_from_files) {
  constexpr std::int64_t n = 1 << 20, elements = 400'000;
  const spill_folder folder;
  const auto path = folder.path() + "/at.npy";
  std::vector<std::int32_t> at(n);
  std::vector<std::int64_t> expected(elements);
  for (std::int64_t i = 0; i < n; ++i) {
    at[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(at_index(i, elements).at);
    expected[static_cast<std::size_t>(at[static_cast<std::size_t>(i)])] += i;
  }
  session s({.threads = 2, .host_memory = std::size_t{16} << 20, .devices = "cpu"});
  s.to_array(at).write(path);
  const auto file = s.open<std::int32_t>(path);
  const auto to = s.zeros<std::int64_t>({elements});
  held_launches held(s);
  s.for_each({n},
             annotated([](idx<1> i, reads<std::int32_t> from,
                          reduces<std::int64_t> to) { to[from[i]] += std::int64_t{i}; },
                       "from, to: global i => read from[i], reduce to"),
             file, to);
  EXPECT_THAT(to.explain(), HasSubstr("puts values aside"));
  held.release();
  EXPECT_EQ(to.to_vector(), expected);
}

/// A chunk of a mebibyte has values of 12; a bin's elements lie in two rows.
TEST(bins, are_merged_in_between_where_a_leaf_has_too_many_values_for_memory) {
  constexpr std::int64_t n = 1 << 21, rows = 3, columns = 200'001;
  const spill_folder folder;
  const auto path = folder.path() + "/bytes.zarr";
  std::vector<std::int8_t> bytes(n);
  std::vector<std::int64_t> expected(rows * columns);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [at, value] = at_index(i, rows * columns);
    bytes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(value);
    expected[static_cast<std::size_t>(at)] += bytes[static_cast<std::size_t>(i)];
  }
  {
    session s({.threads = 2, .devices = "cpu"});
    s.to_array(bytes).write(path, {.chunk = {1 << 20}});
  }
  for (const unsigned threads : {1U, 4U}) {
    session s({.threads = threads,
               .host_memory = std::size_t{12} << 20,
               .devices = "cpu",
               .spill = folder.path()});
    const auto file = s.open<std::int8_t>(path);
    const auto to = s.zeros<std::int64_t, 2>({rows, columns});
    s.for_each({n},
               annotated(
                   [](idx<1> i, reads<std::int8_t> from, reduces<std::int64_t, 2> to) {
                     const auto at = at_index(i, rows * columns).at;
                     to(at / columns, at % columns) += from[i];
                   },
                   "from, to: global i => read from[i], reduce to"),
               file, to);
    for (std::int64_t row = 0; row < rows; ++row)
      ASSERT_TRUE(std::ranges::equal((to[box<2>{{row, 0}, {row + 1, columns}}].to_vector()),
                                     std::span(expected).subspan(row * columns, columns)))
          << threads << " threads, row " << row;
  }
}

TEST(bins, of_a_launch_that_fails_are_dropped) {
  for (const std::int64_t failing : {0, 333, 9'999}) {
    session s({.threads = 3, .devices = "cpu"});
    put_all_in_bins(s, 64);
    const auto to = s.filled<composed>({100}, {});
    s.for_each({10'000},
               annotated(
                   [=](idx<1> i, reduces<composed> to) {
                     if (i >= failing) throw std::runtime_error(fmt::format("no {}", failing));
                     to[i % 100].accumulate(1);
                   },
                   footprint),
               to);
    try {
      to.to_vector();
      FAIL() << "nothing was thrown";
    } catch (const launch_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(fmt::format("at index [{}]: no {}", failing, failing)));
    }
    EXPECT_EQ(s.zeros<int>({3}).to_vector(), std::vector<int>(3));
  }
}

}  // namespace
}  // namespace pappus::testing
