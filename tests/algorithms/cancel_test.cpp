// Kernels of many rows look whether the query was cancelled, and give up soon. Looks are counted,
// not time.
#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/join_table.h"
#include "algorithms/merge_runs.h"
#include "algorithms/radix.h"
#include "algorithms/string_sort.h"
#include "algorithms/strings.h"
#include "pappus/error.h"
#include "support/counting_workers.h"
#include "support/sanitizers.h"
#include "support/test_memory.h"

namespace pappus::algorithms {
namespace {

using testing::counting_workers;
using testing::test_memory;

constexpr std::int64_t rows_between_looks = 1 << 16;

// In one thread nothing races: TSan only has to see that a kernel gives up at all.
constexpr int cancellations = testing::threads_sanitized ? 2 : 12;

/// Runs `kernel`, which goes over `rows` rows so many times at least: it must look often enough,
/// and whenever it is told to stop, it must throw cancelled after few further looks.
void expect_prompt(std::int64_t rows, int passes,
                   const std::function<void(detail::workers&)>& kernel) {
  counting_workers undisturbed;
  kernel(undisturbed);
  EXPECT_GE(undisturbed.looks(), passes * rows / rows_between_looks);
  for (int i = 0; i < cancellations; ++i) {
    const std::int64_t limit = undisturbed.looks() * i / cancellations;
    counting_workers team(2, limit);
    EXPECT_THROW(kernel(team), cancelled) << limit << " looks";
    // Those of loops within loops, each of which asks for itself.
    EXPECT_LE(team.looks_after_limit(), 8) << limit << " looks";
    EXPECT_EQ(team.items_begun_too_late(), 0) << limit << " looks";
  }
}

enum class order { random, ascending, descending, one_of_most, few };

template <typename Key>
std::vector<Key> keys_in(order wanted, std::int64_t n) {
  std::mt19937_64 random(5);
  std::vector<Key> keys(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t r = random();
    const auto some = wanted == order::random       ? r
                      : wanted == order::ascending  ? i
                      : wanted == order::few        ? r % 5
                      : wanted == order::descending ? keys.size() - i
                                                    : (i % 10 == 0 ? r : 77);
    if constexpr (sizeof(Key) == 16)
      keys[i] = {r, some};
    else
      keys[i] = static_cast<Key>(some);
  }
  return keys;
}

template <typename Key>
void expect_prompt_sort(order wanted, std::size_t payload_bytes) {
  SCOPED_TRACE(::testing::Message() << sizeof(Key) << " byte keys, order " << int(wanted) << ", "
                                    << payload_bytes << " bytes beside");
  constexpr std::int64_t n = 1 << 20;
  const auto keys = keys_in<Key>(wanted, n);
  const std::size_t key_bytes = sizeof(Key) * n, bytes = payload_bytes * n;
  test_memory memory;
  detail::buffer buffer(memory, 2 * (key_bytes + bytes), "test");
  std::byte* const at = buffer.data();
  const bool in_order = wanted == order::ascending && payload_bytes <= 16;
  expect_prompt(n, in_order ? 1 : 3, [&](detail::workers& team) {
    std::memcpy(at, keys.data(), key_bytes);
    radix_sort(team, memory, {at, at + 2 * key_bytes, at + key_bytes, at + 2 * key_bytes + bytes},
               n, sizeof(Key), payload_bytes, "test");
  });
}

TEST(cancelled, radix_sort_gives_up) {
  for (const auto wanted : {order::random, order::ascending, order::one_of_most, order::few}) {
    expect_prompt_sort<std::uint32_t>(wanted, 0);
    expect_prompt_sort<std::uint64_t>(wanted, 8);
    expect_prompt_sort<bits128>(wanted, 16);
  }
  expect_prompt_sort<std::uint64_t>(order::random, 24);
}

TEST(cancelled, reversing_gives_up) {
  constexpr std::int64_t n = 1 << 20;
  const auto keys = keys_in<std::uint64_t>(order::descending, n);
  std::vector<std::uint64_t> from(n), to(n);
  test_memory memory;
  expect_prompt(n, 2, [&](detail::workers& team) {
    from = keys;
    radix_sort(team, memory,
               {reinterpret_cast<std::byte*>(from.data()), nullptr,
                reinterpret_cast<std::byte*>(to.data()), nullptr},
               n, 8, 0, "test");
  });
}

TEST(cancelled, sorting_integers_gives_up) {
  constexpr std::int64_t n = 1 << 20;
  test_memory memory;
  for (const auto wanted : {order::random, order::ascending, order::descending, order::few}) {
    const auto keys = keys_in<std::uint32_t>(wanted, n);
    const detail::buffer out(memory, n * 4, "test");
    expect_prompt(n, 2, [&](detail::workers& team) {
      sort_integers(team, memory, reinterpret_cast<const std::byte*>(keys.data()), out.data(), n, 4,
                    0x8000'0000u, "test");
    });
  }
}

std::vector<std::string> texts(std::int64_t n, std::uint64_t different) {
  std::mt19937_64 random(6);
  std::vector<std::string> all;
  for (std::int64_t i = 0; i < n; ++i)
    all.push_back("shared prefix " + std::to_string(random() % different));
  return all;
}

TEST(cancelled, sorting_strings_gives_up) {
  constexpr std::int64_t n = 1 << 18;
  for (const std::uint64_t different : {std::uint64_t{1} << 40, std::uint64_t{3}}) {
    const auto all = texts(n, different);
    const std::vector<std::string_view> views(all.begin(), all.end());
    std::vector<std::uint64_t> order(n);
    test_memory memory;
    expect_prompt(n, 4, [&](detail::workers& team) {
      sort_strings(team, memory, views.data(), n, false, order.data(), "test");
    });
  }
}

TEST(cancelled, putting_numbered_strings_in_order_gives_up) {
  constexpr std::int64_t n = 1 << 18;
  const auto all = texts(n, std::uint64_t{1} << 40);
  const std::vector<std::string_view> views(all.begin(), all.end());
  test_memory memory;
  string_ids ids(memory, "test");
  std::vector<std::uint32_t> numbers(string_ids::batch_max);
  string_ids::recent known;
  for (std::size_t i = 0; i < n; i += numbers.size())
    ids.find_or_insert(views.data() + i, numbers.size(), numbers.data(), known);
  std::vector<std::string_view> sorted(ids.size());
  std::vector<std::uint32_t> sorted_ids(ids.size());
  expect_prompt(n, 4,
                [&](detail::workers& team) { ids.sorted(team, sorted.data(), sorted_ids.data()); });
}

TEST(cancelled, building_a_join_table_gives_up) {
  constexpr std::int64_t n = 1 << 20;
  test_memory memory;
  for (const auto wanted : {order::random, order::ascending, order::one_of_most, order::few}) {
    SCOPED_TRACE(int(wanted));
    const auto keys = keys_in<std::uint64_t>(wanted, n);
    expect_prompt(n, 2, [&](detail::workers& team) {
      join_table(team, memory, reinterpret_cast<const std::byte*>(keys.data()), n, 8, {}, "test");
    });
  }
  const auto keys = keys_in<std::uint32_t>(order::ascending, n);
  expect_prompt(n, 2, [&](detail::workers& team) {
    join_table(team, memory, reinterpret_cast<const std::byte*>(keys.data()), n, 4, {{0, 0}, n},
               "test");
  });
}

TEST(cancelled, merging_runs_gives_up) {
  constexpr std::int64_t each = 1 << 18;
  const auto keys = keys_in<std::uint64_t>(order::ascending, each);
  const auto* const rows = reinterpret_cast<const std::byte*>(keys.data());
  const std::vector<sorted_run> runs(4, sorted_run{{rows}, rows, each});
  const std::size_t key_bytes[] = {8};
  std::vector<std::uint64_t> out(4 * each);
  expect_prompt(4 * each, 1, [&](detail::workers& team) {
    merge_runs(team, runs, key_bytes, 8, 4 * each, reinterpret_cast<std::byte*>(out.data()));
  });
}

}  // namespace
}  // namespace pappus::algorithms
