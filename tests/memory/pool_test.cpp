#include "memory/pool.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/error.h"
#include "support/sanitizers.h"

namespace pappus::memory {
namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

TEST(pool, charges_what_is_held_and_lets_go_of_it) {
  pool memory(64 * MiB);
  {
    const detail::buffer a(memory, 5 * MiB, "a"), b(memory, 100, "b");
    EXPECT_EQ(memory.in_use(), pool::charged(5 * MiB) + pool::charged(100));
    EXPECT_EQ(memory.held(), memory.in_use());
    EXPECT_EQ(memory.available(), memory.limit() - memory.in_use());
  }
  EXPECT_EQ(memory.in_use(), 0u);
  EXPECT_GT(memory.held(), 0u);  // kept warm
  EXPECT_GE(memory.peak(), 5 * MiB);
  memory.trim();
  EXPECT_EQ(memory.held(), 0u);
}

TEST(pool, charges_at_least_what_was_asked_for_and_little_more) {
  EXPECT_EQ(pool::charged(0), 0u);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{65}, MiB / 16,
                                  MiB / 16 + 1, 2 * MiB - 1, 2 * MiB, 2 * MiB + 1, 100 * MiB}) {
    EXPECT_GE(pool::charged(bytes), bytes);
    EXPECT_LE(pool::charged(bytes), bytes + 2 * MiB);
    EXPECT_EQ(pool::charged(pool::charged(bytes)), pool::charged(bytes));
  }
}

TEST(pool, hands_out_aligned_writable_memory) {
  pool memory(256 * MiB);
  std::vector<detail::buffer> blocks;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{100}, std::size_t{70'000}, 3 * MiB, 33 * MiB}) {
    blocks.emplace_back(memory, bytes, "test");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().data()) % 64, 0u);
    if (bytes >= 2 * MiB) {  // begins on a huge page
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().data()) % (2 * MiB), 0u);
    }
    std::memset(blocks.back().data(), static_cast<int>(blocks.size()), bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    EXPECT_EQ(blocks[i].data()[blocks[i].size() - 1], static_cast<std::byte>(i + 1));
}

TEST(pool, aligns_blocks_for_any_record_that_fits_them) {
  pool memory(64 * MiB);
  for (std::size_t align = 64; align <= 4096; align *= 2)
    for (const std::size_t bytes : {align, 3 * align, 5 * align + 8, 100 * align}) {
      const detail::buffer first(memory, bytes, "a"), second(memory, bytes, "b");
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % align, 0u) << bytes;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second.data()) % align, 0u) << bytes;
    }
}

TEST(pool, reuses_warm_blocks_of_the_same_size) {
  pool memory(64 * MiB);
  std::byte* first = memory.acquire(5 * MiB, "test");
  memory.release(first, 5 * MiB);
  EXPECT_EQ(memory.acquire(6 * MiB - 1, "test"), first);  // charged the same
  memory.release(first, 6 * MiB - 1);
}

TEST(pool, gives_warm_memory_back_when_something_else_needs_the_room) {
  pool memory(16 * MiB);
  for (const std::size_t bytes : {4 * MiB, 6 * MiB, 6 * MiB}) {
    const detail::buffer block(memory, bytes, "test");
  }
  const detail::buffer large(memory, 16 * MiB, "test");
  EXPECT_EQ(memory.held(), 16 * MiB);
  EXPECT_EQ(memory.peak(), 16 * MiB);
}

TEST(pool, gives_a_part_of_what_is_warm_where_memory_is_short) {
  pool memory(16 * MiB);
  std::byte* const first = memory.acquire(14 * MiB, "test");
  first[0] = first[3 * MiB] = std::byte{7};
  memory.release(first, 14 * MiB);
  std::byte* const beside = memory.acquire(2 * MiB, "test");  // there is room for it
  EXPECT_TRUE(beside < first || beside >= first + 14 * MiB);
  std::byte* const part = memory.acquire(3 * MiB, "test");  // charged 4
  EXPECT_EQ(part, first);
  EXPECT_EQ(part[0], std::byte{7});
  std::byte* const middle = memory.acquire(100'000, "test");
  EXPECT_EQ(middle + pool::charged(100'000), first + 14 * MiB);
  EXPECT_EQ(memory.held(), 16 * MiB);
  memory.release(part, 3 * MiB);
  memory.release(middle, 100'000);
  EXPECT_EQ(memory.acquire(14 * MiB, "test"), first);  // all of it again
  memory.release(first, 14 * MiB);
  memory.release(beside, 2 * MiB);
  EXPECT_EQ(memory.in_use(), 0u);
  EXPECT_EQ(memory.held(), 16 * MiB);
  EXPECT_EQ(memory.peak(), 16 * MiB);
  memory.trim();
  EXPECT_EQ(memory.held(), 0u);
}

template <typename Action>
void expect_memory_error(const char* text, Action action) {
  try {
    action();
    FAIL() << "no error";
  } catch (const memory_error& e) {
    EXPECT_STREQ(e.what(), text);
  }
}

TEST(pool, refuses_what_exceeds_the_limit_and_says_what_is_in_use) {
  pool memory(16 * MiB);
  const detail::buffer held(memory, 10 * MiB, "first");
  expect_memory_error(
      "sort_by: needs 8 MiB more, but 10 MiB of the memory limit of 16 MiB are in use; raise the "
      "limit (PAPPUS_HOST_MEMORY or options::host_memory) or use less data",
      [&] { memory.acquire(8 * MiB, "sort_by"); });
  EXPECT_EQ(memory.in_use(), 10 * MiB);
  const detail::buffer fits(memory, 6 * MiB, "second");
  EXPECT_EQ(memory.in_use(), 16 * MiB);
}

TEST(pool, counts_memory_that_a_driver_takes) {
  pool memory(16 * MiB);
  {
    const detail::buffer warm(memory, 8 * MiB, "warm");
  }
  memory.charge(10 * MiB + 1, "opencl:0");  // the warm block makes room
  EXPECT_EQ(memory.in_use(), 10 * MiB + 1);
  EXPECT_EQ(memory.held(), 10 * MiB + 1);
  EXPECT_THROW(memory.acquire(6 * MiB, "a"), memory_error);
  expect_memory_error(
      "map: needs 6 MiB more, but 10 MiB of the memory limit of 16 MiB are in use; raise the "
      "limit (PAPPUS_HOST_MEMORY or options::host_memory) or use less data",
      [&] { memory.charge(6 * MiB, "map"); });
  memory.discharge(10 * MiB + 1);
  EXPECT_EQ(memory.in_use(), 0u);
  EXPECT_EQ(memory.peak(), 10 * MiB + 1);
}

TEST(pool, refuses_sizes_near_the_end_of_64_bits) {
  pool memory(16 * MiB);
  for (const std::size_t bytes :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() - MiB,
        std::numeric_limits<std::size_t>::max() / 2})
    EXPECT_THROW(memory.acquire(bytes, "test"), memory_error);
  EXPECT_EQ(memory.in_use(), 0u);
}

TEST(pool, never_exceeds_its_limit_with_many_threads) {
  pool memory(8 * MiB);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&memory, t] {
      for (std::size_t i = 0; i < 300; ++i) {
        try {
          const detail::buffer block(memory, (i * 7 + t) % 40 * (MiB / 8), "test");
          if (block.size() != 0) block.data()[block.size() - 1] = std::byte{1};
        } catch (const memory_error&) {  // others hold the rest
        }
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(memory.in_use(), 0u);
  EXPECT_LE(memory.peak(), 8 * MiB);
}

TEST(block, moves_without_copying_and_is_empty_afterwards) {
  pool memory(16 * MiB);
  detail::buffer a(memory, 1000, "test");
  const std::byte* data = a.data();
  detail::buffer b(std::move(a));
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_EQ(a.size(), 0u);
  a = std::move(b);
  EXPECT_EQ(a.data(), data);
  a.reset();
  a.reset();
  EXPECT_EQ(memory.in_use(), 0u);
}

std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096;
}

TEST(pool, gives_small_buffers_back_where_large_ones_are_taken) {
  if (testing::sanitized) GTEST_SKIP() << "a sanitizer keeps what was freed";
  constexpr std::size_t limit = 64 * MiB, small = 3000;
  const std::size_t before = resident_bytes();
  pool memory(limit);
  const auto fill = [&](std::size_t bytes) {
    std::vector<detail::buffer> filled;
    for (std::size_t held = 0; held + pool::charged(bytes) <= limit / 8 * 7;) {
      filled.emplace_back(memory, bytes, "test");
      std::memset(filled.back().data(), 1, bytes);
      held += pool::charged(bytes);
    }
    return filled;
  };
  for (int i = 0; i < 3; ++i) {
    fill(small);
    const auto large = fill(4 * MiB);
    EXPECT_LE(resident_bytes() - before, limit + 8 * MiB);
  }
}

TEST(block, of_no_bytes_asks_for_nothing) {
  pool memory(0);
  const detail::buffer none(memory, 0, "test");
  EXPECT_EQ(none.data(), nullptr);
}

TEST(default_limit, is_some_of_the_memory_there_is) {
  EXPECT_GT(default_limit(), MiB);
  EXPECT_LT(default_limit(), std::size_t{1} << 50);
}

}  // namespace
}  // namespace pappus::memory
