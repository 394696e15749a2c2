#include "memory/stored_parts.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/numbers_in_store.h"
#include "pappus/error.h"
#include "support/test_workers.h"

namespace pappus::memory {
namespace {

using ::testing::StartsWith;

constexpr std::int64_t part_rows = rows_of_a_mib;

/// So many parts whose rows together are those of make() with a seed.
kept_ptr parts(machine& m, std::int64_t n, std::uint64_t seed) {
  std::vector<kept_ptr> all;
  const auto step = static_cast<std::uint64_t>(part_rows);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    detail::buffer buffer(*m.memory, scaled_mib, "parts");
    for (std::uint64_t row = 0; row < step; ++row)
      buffer.as<std::uint64_t>()[row] = seed * 1'000'003 + i * step + row;
    all.push_back(
        m.rows->keep(algorithms::rows_in(std::move(buffer), numbers, part_rows, m.memory)));
  }
  return m.rows->in_parts(numbers, std::move(all), {});
}

TEST(stored_parts, may_be_more_than_memory_holds) {
  machine m(16 * scaled_mib);
  const auto kept = parts(m, 24, 5);
  EXPECT_EQ(kept->rows(), 24 * part_rows);
  EXPECT_EQ(kept->parts().size(), 24u);
  EXPECT_EQ(kept->in_memory(), nullptr);
  EXPECT_THAT(kept->about(), StartsWith("1 MiB rest in the spill file in "));
  EXPECT_THROW(kept->wake("test"), memory_error);
  std::vector<std::uint64_t> got(3 * part_rows);
  testing::test_workers team(2);
  for (std::size_t first = 0; first < 24; first += 3) {
    std::vector<graph::row_store::copy> wanted;
    for (std::size_t i = 0; i < 3; ++i)
      wanted.push_back({kept->parts()[first + i], 0, part_rows,
                        reinterpret_cast<std::byte*>(&got[i * part_rows])});
    m.rows->read(wanted, team, "test");
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], 5 * 1'000'003 + first * part_rows + i) << i;
  }
  EXPECT_LE(m.memory->peak(), 16 * scaled_mib);
}

TEST(stored_parts, are_one_set_where_they_fit) {
  machine m(16 * scaled_mib);
  const auto kept = parts(m, 8, 1);
  EXPECT_TRUE(right(*kept->in_memory(), 1));
  m.make(14 * rows_of_a_mib, 14 * rows_of_a_mib, 2);
  EXPECT_EQ(kept->in_memory(), nullptr);
  const auto rows = kept->wake("test");
  EXPECT_TRUE(right(*rows, 1));
  EXPECT_THROW(m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 2), memory_error)
      << "they stay as long as somebody has them";
  EXPECT_TRUE(right(*rows, 1));
  EXPECT_EQ(m.rows->in_parts(numbers, {}, {})->rows(), 0);
  EXPECT_EQ(m.rows->in_parts(numbers, {}, {})->wake("test")->rows(), 0);
}

TEST(stored_parts, know_what_all_of_their_rows_lack) {
  machine m(16 * scaled_mib);
  const auto whole = parts(m, 2, 1);
  const std::vector<kept_ptr> all(whole->parts().begin(), whole->parts().end());
  const detail::missing_counts of_all{2 * part_rows, {{8, 5}}}, of_some{part_rows, {{8, 5}}};
  const auto known = m.rows->in_parts(numbers, all, of_all);
  for (const auto& rows : {known->in_memory(), known->wake("test")}) {
    ASSERT_NE(rows->missing(), nullptr);
    EXPECT_EQ(rows->missing()->of(8), 5);
    EXPECT_EQ(rows->missing()->of(16), std::nullopt);
  }
  EXPECT_EQ(m.rows->in_parts(numbers, all, of_some)->wake("test")->missing(), nullptr);
}

/// A reader keeps sets where they are, and who wakes one may need the memory of another: neither
/// may wait for the other one.
TEST(stored_parts, are_read_and_woken_at_a_time) {
  using namespace std::chrono_literals;
  machine m(4 * scaled_mib);
  const auto woken = m.keep(rows_of_a_mib, rows_of_a_mib, 2),
             written = m.keep(rows_of_a_mib, rows_of_a_mib, 1);
  std::vector<detail::buffer> rest;
  for (int i = 0; i < 3; ++i) rest.emplace_back(*m.memory, scaled_mib, "rest");  // `woken` goes
  EXPECT_EQ(woken->in_memory(), nullptr);
  m.rows->expect(scaled_mib, "ahead");  // `written` is written, and stays in memory
  while (m.rows->spilled_bytes() < 2 * scaled_mib) std::this_thread::sleep_for(1ms);
  std::atomic<bool> needs_memory = false;
  int owner = 0;
  m.memory->on_shortage(&owner, [&](std::size_t, std::string_view) {
    needs_memory = true;
    std::this_thread::sleep_for(100ms);
    return false;
  });
  std::thread waker([&] { EXPECT_TRUE(right(*woken->wake("waker"), 2)); });
  while (!needs_memory) std::this_thread::yield();
  std::vector<std::uint64_t> got(2 * part_rows);
  auto* const to = reinterpret_cast<std::byte*>(got.data());
  const std::vector<graph::row_store::copy> wanted{{written, 0, part_rows, to},
                                                   {woken, 0, part_rows, to + scaled_mib}};
  testing::test_workers team(1);
  m.rows->read(wanted, team, "reader");
  waker.join();
  EXPECT_EQ(got[7], 1'000'003u + 7);
  EXPECT_EQ(got[part_rows + 7], 2 * 1'000'003u + 7);
}

TEST(stored_parts, are_lost_with_one_of_them) {
  machine m(16 * scaled_mib, "faulty:seed=1+flip=1");
  const auto kept = parts(m, 20, 1);
  EXPECT_FALSE(kept->lost());
  testing::test_workers team(1);
  detail::buffer to(*m.memory, scaled_mib, "test");
  EXPECT_THROW(
      m.rows->read(std::vector{graph::row_store::copy{kept->parts()[0], 0, part_rows, to.data()}},
                   team, "test"),
      spill_error);
  EXPECT_TRUE(kept->lost());
}

}  // namespace
}  // namespace pappus::memory
