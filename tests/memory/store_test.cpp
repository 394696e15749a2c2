#include "memory/store.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/numbers_in_store.h"
#include "pappus/error.h"
#include "support/test_workers.h"

namespace pappus::memory {
namespace {

TEST(store, evicts_what_was_used_longest_ago_and_brings_it_back) {
  machine m(16 * scaled_mib);
  std::vector<kept_ptr> kept;
  for (std::uint64_t i = 0; i < 4; ++i)
    kept.push_back(m.keep(4 * rows_of_a_mib, rows_of_a_mib / 2, i));
  EXPECT_NE(kept[0]->in_memory(), nullptr);  // used: now 1 is the oldest
  const auto more = m.make(4 * rows_of_a_mib, 4 * rows_of_a_mib, 9);
  EXPECT_NE(kept[0]->in_memory(), nullptr);
  EXPECT_EQ(kept[1]->in_memory(), nullptr);
  EXPECT_NE(kept[2]->in_memory(), nullptr);
  EXPECT_GE(m.rows->spilled_bytes(), 4 * scaled_mib);
  EXPECT_LE(m.memory->peak(), 16 * scaled_mib);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto rows = kept[i]->wake("test");
    EXPECT_TRUE(right(*rows, i)) << i;
    EXPECT_EQ(rows, kept[i]->in_memory());
    EXPECT_EQ(rows->rows(), kept[i]->rows());
  }
  EXPECT_TRUE(m.folder.empty());
}

TEST(store, writes_rows_once_and_drops_them_the_next_time) {
  machine m(8 * scaled_mib);
  const auto kept = m.keep(4 * rows_of_a_mib, 8'750, 1);
  for (int i = 0; i < 5; ++i) {
    m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 2);  // takes it all
    EXPECT_EQ(kept->in_memory(), nullptr);
    EXPECT_TRUE(right(*kept->wake("test"), 1));
  }
  EXPECT_EQ(m.rows->spilled_bytes(), 4 * scaled_mib);
  EXPECT_EQ(m.rows->bytes_read_back(), 5 * 4 * scaled_mib);
}

TEST(store, evicts_no_more_of_a_set_than_is_needed) {
  machine m(64 * scaled_mib);
  const auto kept = m.keep(56 * rows_of_a_mib, 2 * rows_of_a_mib, 1);  // four chunks
  m.make(16 * rows_of_a_mib, 16 * rows_of_a_mib, 2);
  EXPECT_EQ(m.rows->spilled_bytes(), 8 * scaled_mib);  // the last one is the smallest
  EXPECT_THAT(kept->about(), ::testing::StartsWith("1 MiB rest in the spill file in "));
  EXPECT_TRUE(right(*kept->wake("test"), 1));
  EXPECT_EQ(m.rows->bytes_read_back(), 8 * scaled_mib);
}

TEST(store, leaves_alone_what_somebody_has) {
  machine m(16 * scaled_mib);
  const auto kept = m.keep(8 * rows_of_a_mib, 8'750, 1);
  {
    const auto pinned = kept->in_memory();
    EXPECT_THROW(m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 2), memory_error);
    EXPECT_TRUE(right(*pinned, 1));
  }
  m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 2);
  EXPECT_EQ(kept->in_memory(), nullptr);
}

TEST(store, writes_nothing_where_that_would_not_be_enough) {
  machine m(16 * scaled_mib);
  const auto kept = m.keep(4 * rows_of_a_mib, 8'750, 1);
  const auto used = m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 2);
  EXPECT_THROW(m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 3), memory_error);
  EXPECT_EQ(m.rows->spilled_bytes(), 0u);
  EXPECT_NE(kept->in_memory(), nullptr);
}

TEST(store, keeps_in_memory_what_can_not_rest) {
  machine m(16 * scaled_mib);
  const std::vector<std::uint64_t> lent(4 * rows_of_a_mib);
  const auto few = m.keep(100, 100, 1),
             borrowed = m.rows->keep(std::make_shared<detail::row_set>(
                 numbers, lent.data(), static_cast<std::int64_t>(lent.size())));
  EXPECT_THAT(borrowed->about(),
              "512 KiB in memory, where they stay: they are few, part of other rows or lent");
  m.make(14 * rows_of_a_mib, 14 * rows_of_a_mib, 2);
  EXPECT_TRUE(right(*few->in_memory(), 1));
  EXPECT_EQ(borrowed->in_memory()->data(), reinterpret_cast<const std::byte*>(lent.data()));
  EXPECT_EQ(m.rows->spilled_bytes(), 0u);
}

TEST(store, that_is_off_refuses_as_if_there_were_none) {
  machine m(16 * scaled_mib, "", true);
  const auto kept = m.keep(8 * rows_of_a_mib, 8'750, 1);
  EXPECT_THROW(m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 2), memory_error);
  EXPECT_NE(kept->in_memory(), nullptr);
}

TEST(store, leaves_rows_where_they_were_when_a_write_fails) {
  machine m(16 * scaled_mib, "faulty:full=128KiB");
  const auto kept = m.keep(8 * rows_of_a_mib, 8 * rows_of_a_mib, 1);
  try {
    m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 2);
    FAIL() << "no error";
  } catch (const spill_error& e) {
    EXPECT_THAT(e.what(), ::testing::StartsWith("make: taking up 1 MiB in the spill file in "));
  }
  EXPECT_FALSE(kept->lost());
  EXPECT_TRUE(right(*kept->wake("test"), 1));
  EXPECT_EQ(m.rows->bytes_read_back(), 0u);
}

TEST(store, says_that_rows_are_lost_which_can_not_be_read_back) {
  machine m(8 * scaled_mib, "faulty:seed=4+flip=1");
  const auto kept = m.keep(4 * rows_of_a_mib, 8'750, 1);
  m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 2);
  EXPECT_THROW(kept->wake("test"), spill_error);
  EXPECT_TRUE(kept->lost());
}

TEST(store, stops_reading_for_a_query_that_is_cancelled) {
  machine m(8 * scaled_mib);
  const auto kept = m.keep(4 * rows_of_a_mib, 8'750, 1);
  m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 2);
  testing::test_workers query(1);
  query.cancel();
  EXPECT_THROW(kept->wake("test", &query), cancelled);
  EXPECT_FALSE(kept->lost());
  EXPECT_EQ(m.rows->bytes_read_back(), 0u);
  EXPECT_TRUE(right(*kept->wake("test"), 1));
}

/// The values of rows [first, first + n) of the set of a seed.
std::vector<std::uint64_t> values_from(std::int64_t first, std::int64_t n, std::uint64_t seed) {
  std::vector<std::uint64_t> values;
  for (std::int64_t i = first; i < first + n; ++i)
    values.push_back(seed * 1'000'003 + static_cast<std::uint64_t>(i));
  return values;
}

TEST(store, copies_records_from_wherever_they_are) {
  machine m(18 * scaled_mib);
  testing::test_workers query(3);
  const std::int64_t n = 14 * rows_of_a_mib;
  const auto kept = m.keep(n, 2 * rows_of_a_mib, 1), few = m.keep(100, 100, 2);
  std::mt19937_64 random(3);
  for (const bool spilled : {false, true}) {
    if (spilled) m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 2);  // the last chunk goes
    for (int i = 0; i < 60; ++i) {
      const auto a = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)),
                 b = i % 3 == 0 ? n : std::min(n, a + static_cast<std::int64_t>(random() % 2'000));
      std::vector<std::uint64_t> first(static_cast<std::size_t>(b - a)), second(40);
      const auto bytes = [](auto& to) { return reinterpret_cast<std::byte*>(to.data()); };
      const std::vector<graph::row_store::copy> wanted{
          {kept, a, b - a, bytes(first)}, {few, 50, 40, bytes(second)}, {kept, n, 0, nullptr}};
      if (i % 2 == 0)
        m.rows->read(wanted, query, "test");
      else
        m.rows->read_beside(wanted, query, "test").get();
      EXPECT_EQ(first, values_from(a, b - a, 1));
      EXPECT_EQ(second, values_from(50, 40, 2));
    }
    EXPECT_EQ(m.rows->bytes_read_back() > 0, spilled);
  }
  m.make(16 * rows_of_a_mib, 16 * rows_of_a_mib, 5);  // nothing is pinned any more
}

TEST(store, stops_copying_for_a_query_that_is_cancelled) {
  machine m(8 * scaled_mib);
  const auto kept = m.keep(4 * rows_of_a_mib, 8'750, 1);
  testing::test_workers query(1);
  query.cancel();
  std::vector<std::byte> to(4 * scaled_mib);
  const std::vector<graph::row_store::copy> wanted{{kept, 0, kept->rows(), to.data()}};
  for (const bool spilled : {false, true}) {
    if (spilled) m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 2);
    EXPECT_THROW(m.rows->read(wanted, query, "test"), cancelled);
    EXPECT_THROW(m.rows->read_beside(wanted, query, "test").get(), cancelled);
  }
  EXPECT_TRUE(right(*kept->wake("test"), 1));
}

TEST(store, waits_for_who_copies_what_must_go) {
  machine m(8 * scaled_mib, "faulty:delay_us=3000");
  testing::test_workers query(1);
  const auto kept = m.keep(6 * rows_of_a_mib, 3 * rows_of_a_mib, 1);
  m.make(4 * rows_of_a_mib, 4 * rows_of_a_mib, 2);  // a part of them goes
  std::vector<std::uint64_t> to(6 * rows_of_a_mib);
  auto reading = m.rows->read_beside(
      {{kept, 0, kept->rows(), reinterpret_cast<std::byte*>(to.data())}}, query, "test");
  m.make(8 * rows_of_a_mib, 8 * rows_of_a_mib, 3);
  reading.get();
  EXPECT_EQ(to, values_from(0, kept->rows(), 1));
}

TEST(store, writes_ahead_what_will_have_to_go) {
  machine m(16 * scaled_mib);
  const auto kept = m.keep(4 * rows_of_a_mib, rows_of_a_mib, 1),
             later = m.keep(4 * rows_of_a_mib, 4 * rows_of_a_mib, 2);
  EXPECT_EQ(m.rows->available(), 16 * scaled_mib);
  m.rows->expect(8 * scaled_mib, "test");  // that is there
  m.rows->expect(10 * scaled_mib, "test");
  while (!kept->about().ends_with("512 KiB are there, too"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_THAT(kept->about(), ::testing::StartsWith("512 KiB in memory"));
  m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 3);
  EXPECT_EQ(m.rows->spilled_bytes(), 4 * scaled_mib);
  EXPECT_NE(later->in_memory(), nullptr);
  EXPECT_TRUE(right(*kept->wake("test"), 1));
}

TEST(store, gives_everything_back) {
  machine m(16 * scaled_mib);
  rows_ptr last;
  {
    const auto a = m.keep(8 * rows_of_a_mib, 8'750, 1), b = m.keep(5 * rows_of_a_mib, 8'750, 2);
    m.make(12 * rows_of_a_mib, 12 * rows_of_a_mib, 3);
    last = a->wake("test");
  }
  EXPECT_TRUE(right(*last, 1));  // they outlive who kept them
  EXPECT_GE(m.memory->in_use(), 8 * scaled_mib);
  last.reset();
  EXPECT_EQ(m.memory->in_use(), 0u);
}

/// Threads that use kept rows, keep others and forget them, with room for a few of them.
void stress(const std::string& io, bool errors_expected) {
  constexpr int threads = 8, sets = 12, rounds = 25;
  machine m(12 * scaled_mib, io);
  std::mutex mutex;
  std::vector<kept_ptr> kept(sets);
  std::vector<std::uint64_t> seeds(sets);
  std::atomic<int> used = 0, refused = 0, spill_errors = 0;
  const auto work = [&](unsigned number) {
    std::mt19937 random(number);
    for (int round = 0; round < rounds; ++round) {
      const auto i = random() % sets;
      kept_ptr mine;
      std::uint64_t seed = 0;
      {
        const std::lock_guard lock(mutex);
        mine = kept[i], seed = seeds[i];
      }
      try {
        if (mine == nullptr || mine->lost() || random() % 8 == 0) {
          seed = random();
          mine = m.keep(rows_of_a_mib + random() % 6'250, 125 + random() % 12'500, seed);
          const std::lock_guard lock(mutex);
          kept[i].swap(mine), seeds[i] = seed;
          continue;
        }
        ASSERT_TRUE(right(*mine->wake("stress"), seed));
        ++used;
      } catch (const memory_error&) {
        ++refused;
      } catch (const spill_error&) {
        ++spill_errors;
      }
    }
  };
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(work, i);
  for (auto& one : all) one.join();
  EXPECT_GT(used, threads);
  if (!errors_expected) {
    EXPECT_EQ(spill_errors, 0);
    EXPECT_GT(m.rows->spilled_bytes(), 0u);
  }
  kept.clear();
  EXPECT_EQ(m.memory->in_use(), 0u);
  EXPECT_LE(m.memory->peak(), 12 * scaled_mib);
}

TEST(store, waits_for_another_threads_writes_rather_than_refuse) {
  machine m(80 * scaled_mib, "faulty:delay_us=5000");
  const auto kept = m.keep(64 * rows_of_a_mib, 16 * rows_of_a_mib, 1);  // four chunks
  const auto take = [&](std::size_t bytes) {
    EXPECT_NO_THROW(std::ignore = detail::buffer(*m.memory, bytes, "take"));
  };
  std::thread other(take, 32 * scaled_mib);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));  // its write takes ten times as long
  take(40 * scaled_mib);  // needs more than the chunk that is on its way
  other.join();
  EXPECT_TRUE(right(*kept->wake("test"), 1));
}

TEST(store, serves_several_threads) { stress("", false); }

TEST(store, serves_several_threads_on_a_bad_disk) {
  for (int seed = 1; seed <= 4; ++seed)
    stress(
        fmt::format("faulty:seed={}+short=0.1+eio=0.01+full=1536KiB+flip=0.005+delay_us=50", seed),
        true);
}

}  // namespace
}  // namespace pappus::memory
