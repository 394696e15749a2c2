#include "memory/device_memory.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/counting_device.h"

namespace pappus::memory {
namespace {

using devices::device_error;
using devices::fault;

template <typename Action>
std::string refusal(Action action, fault expected = fault::out_of_memory) {
  try {
    action();
  } catch (const device_error& problem) {
    EXPECT_EQ(problem.what_failed, expected);
    EXPECT_EQ(problem.device_name, "fake:0");
    return problem.what();
  }
  return "no error";
}

TEST(device_memory, takes_nine_tenths_of_the_device_unless_told) {
  EXPECT_EQ(fixture(0).memory->limit(), 900 * MiB);
  EXPECT_EQ(fixture(64 * MiB).memory->limit(), 64 * MiB);
  EXPECT_EQ(fixture(5000 * MiB).memory->limit(), 1000 * MiB);
  EXPECT_EQ(fixture(0, true).memory->limit(), 64 * MiB);  // the host's
}

TEST(device_memory, charges_few_sizes_and_little_more_than_was_asked_for) {
  std::size_t before = 0, sizes = 0;
  for (std::size_t bytes = 256; bytes < 64 * MiB; bytes += bytes / 50) {
    const std::size_t charged = device_memory::charged(bytes);
    EXPECT_GE(charged, bytes);
    EXPECT_LE(charged, bytes < MiB ? 2 * bytes : bytes / 8 * 9 + 9);
    EXPECT_EQ(device_memory::charged(charged), charged);
    sizes += charged != before;
    before = charged;
  }
  EXPECT_EQ(sizes, 13u + 6 * 8);
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {most, most / 2, most / 2 + 1})
    EXPECT_GE(device_memory::charged(bytes), bytes);
}

TEST(device_memory, hands_out_a_warm_buffer_again_instead_of_allocating) {
  const fixture f(64 * MiB);
  const devices::buffer* first = f.memory->acquire(5 * MiB, "a")->memory.get();
  const auto again = f.memory->acquire(5 * MiB - 1000, "b");
  EXPECT_EQ(again->memory.get(), first);
  EXPECT_EQ(again->bytes, 5 * MiB - 1000);
  EXPECT_EQ(f.device->allocations, 1);
  EXPECT_EQ(f.memory->in_use(), 5 * MiB);  // the whole buffer
}

TEST(device_memory, does_not_hand_a_large_buffer_to_a_small_request) {
  const fixture f(64 * MiB);
  f.memory->acquire(8 * MiB, "a");
  EXPECT_LE(f.memory->acquire(6 * MiB, "b")->memory->bytes, 6 * MiB / 4 * 5);
  EXPECT_EQ(f.device->allocations, 2);
}

TEST(device_memory, gives_warm_buffers_back_when_something_else_needs_the_room) {
  const fixture f(16 * MiB);
  {
    const auto a = f.memory->acquire(6 * MiB, "a"), b = f.memory->acquire(10 * MiB, "b");
  }
  EXPECT_EQ(f.device->held, 16 * MiB);
  const auto small = f.memory->acquire(4 * MiB, "c");  // the 6 MiB buffer alone makes room
  EXPECT_EQ(f.device->held, 14 * MiB);
  const auto large = f.memory->acquire(12 * MiB, "d");
  EXPECT_EQ(f.device->held, 16 * MiB);
  EXPECT_EQ(f.memory->in_use(), 16 * MiB);
  EXPECT_EQ(f.memory->peak(), 16 * MiB);
}

TEST(device_memory, counts_warm_buffers_in_its_peak) {
  const fixture f(16 * MiB);
  f.memory->acquire(10 * MiB, "warm");
  f.memory->acquire(4 * MiB, "a");
  EXPECT_EQ(f.memory->peak(), 14 * MiB);
}

TEST(device_memory, uses_the_last_bytes_of_its_limit) {
  const fixture f(15 * MiB + 3);
  const auto a = f.memory->acquire(8 * MiB, "a");
  const auto b = f.memory->acquire(7 * MiB + 3, "b");  // charged 7.5 MiB if there were room
  EXPECT_EQ(f.memory->in_use(), f.memory->limit());
  const auto whole = fixture(9 * MiB + 1);
  EXPECT_NO_THROW(whole.memory->acquire(9 * MiB + 1, "c"));
}

TEST(device_memory, gives_a_buffer_for_no_bytes) {
  const fixture f(MiB);
  const auto none = f.memory->acquire(0, "a");
  EXPECT_NE(none->memory, nullptr);
  EXPECT_EQ(none->bytes, 0u);
  const auto rest = f.memory->acquire(MiB - none->memory->bytes, "b");
  EXPECT_THROW(f.memory->acquire(0, "c"), device_error);  // there is no room for it
}

TEST(device_memory, refuses_what_exceeds_its_limit_and_says_who_needs_what) {
  const fixture f(16 * MiB);
  const auto held = f.memory->acquire(10 * MiB, "first");
  EXPECT_EQ(refusal([&] { f.memory->acquire(8 * MiB, "sort_by"); }),
            "fake:0: sort_by: needs 8 MiB more, but 10 MiB of the device's memory limit of 16 MiB "
            "are in use; raise the limit (PAPPUS_DEVICE_MEMORY) or use less data");
  EXPECT_EQ(f.memory->in_use(), 10 * MiB);
  EXPECT_EQ(f.device->allocations, 1);
  EXPECT_THROW(f.memory->acquire(std::numeric_limits<std::size_t>::max(), "x"), device_error);
}

TEST(device_memory, refuses_a_buffer_larger_than_the_device_makes) {
  const fixture f(64 * MiB, false, 8 * MiB);
  EXPECT_NO_THROW(f.memory->acquire(8 * MiB, "a"));
  EXPECT_EQ(refusal([&] { f.memory->acquire(9 * MiB, "join"); }),
            "fake:0: join: needs a buffer of 9 MiB, but this device has none over 8 MiB; let the "
            "stage run elsewhere (PAPPUS_DEVICES) or use less data");
}

TEST(device_memory, gives_up_what_it_keeps_when_the_device_has_less_than_it_said) {
  const fixture f(64 * MiB);
  const auto set = some_rows();
  f.device->free = 20 * MiB;
  f.keep(set, 0, 10, 8 * MiB);
  f.memory->acquire(10 * MiB, "warm");
  const auto block = f.memory->acquire(20 * MiB, "map");
  EXPECT_EQ(f.device->held, 20 * MiB);
  EXPECT_EQ(f.memory->find(set, 0, 10), nullptr);
  EXPECT_EQ(refusal([&] { f.memory->acquire(4 * MiB, "map"); }),
            "fake:0: map: needs 4 MiB more and was refused, with 20 MiB of the limit of 64 MiB in "
            "use: fake:0: no more; somebody else holds the rest: free it, or lower the limit "
            "(PAPPUS_DEVICE_MEMORY) so that stages ask for less at a time");
  EXPECT_EQ(f.memory->in_use(), 20 * MiB);
}

TEST(device_memory, passes_on_that_the_device_is_lost) {
  const fixture f(64 * MiB);
  f.device->lose = true;
  EXPECT_EQ(refusal([&] { f.memory->acquire(1, "map"); }, fault::lost), "fake:0: gone");
  EXPECT_EQ(f.memory->in_use(), 0u);
}

TEST(device_memory, keeps_nothing_of_a_lost_device) {
  const fixture f(64 * MiB);
  const auto set = some_rows();
  auto held = f.keep(set, 0, 10, MiB);
  f.memory->acquire(4 * MiB, "warm");
  f.on->lost = true;
  EXPECT_EQ(f.memory->find(set, 0, 10), nullptr);
  EXPECT_EQ(refusal([&] { f.memory->acquire(1, "map"); }, fault::lost),
            "fake:0: map: the device was lost");
  f.memory->drop();
  f.memory->keep(set, 10, 10, held);
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(f.device->held, MiB);
  held.reset();
  EXPECT_EQ(f.device->held, 0u);
  EXPECT_EQ(f.memory->in_use(), 0u);
}

TEST(device_memory, charges_the_host_once_where_its_memory_is_the_hosts) {
  fixture f(64 * MiB, true);
  {
    const auto block = f.memory->acquire(10 * MiB, "a");
    EXPECT_EQ(f.host->in_use(), 10 * MiB);
  }
  EXPECT_EQ(f.host->in_use(), 10 * MiB);  // warm on the device
  const auto again = f.memory->acquire(10 * MiB, "b");
  EXPECT_EQ(f.host->in_use(), 10 * MiB);
  f.memory.reset();
  EXPECT_EQ(f.host->in_use(), 10 * MiB);
}

TEST(device_memory, wraps_host_memory_without_charging_it) {
  fixture f(0, true);
  const std::vector<int> rows(1000);
  ASSERT_TRUE(f.memory->in_place());
  auto block = f.memory->wrap(rows.data(), 4000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->bytes, 4000u);
  EXPECT_EQ(block->memory->host, reinterpret_cast<const std::byte*>(rows.data()));
  EXPECT_EQ(f.device->held, 4000u);
  EXPECT_EQ(f.memory->in_use(), 0u);
  EXPECT_EQ(f.host->in_use(), 0u);
  f.memory.reset();
  block.reset();
  EXPECT_EQ(f.device->held, 0u) << "a wrapped block isn't kept warm";
}

TEST(device_memory, wraps_nothing_where_copies_are_rehearsed_or_needed_or_the_device_is_lost) {
  const std::vector<int> rows(1000);
  const fixture limited(64 * MiB, true), far(0), lost(0, true);
  lost.on->lost = true;
  EXPECT_FALSE(limited.memory->in_place());
  EXPECT_FALSE(far.memory->in_place());
  for (const auto* f : {&limited, &far, &lost})
    EXPECT_EQ(f->memory->wrap(rows.data(), 4000), nullptr);
}

TEST(device_memory, leaves_the_host_alone_where_it_has_memory_of_its_own) {
  const fixture f(64 * MiB);
  const auto block = f.memory->acquire(10 * MiB, "a");
  EXPECT_EQ(f.host->in_use(), 0u);
}

TEST(device_memory, gives_up_what_it_keeps_when_the_host_has_no_more) {
  const fixture f(64 * MiB, true);
  const auto set = some_rows();
  f.keep(set, 0, 10, 10 * MiB);
  detail::buffer taken(*f.host, 50 * MiB, "somebody");
  const auto block = f.memory->acquire(14 * MiB, "map");
  EXPECT_EQ(f.host->in_use(), 64 * MiB);
  EXPECT_THAT(refusal([&] { f.memory->acquire(MiB, "map"); }),
              ::testing::HasSubstr("64 MiB of the memory limit of 64 MiB are in use"));
  EXPECT_EQ(f.host->in_use(), 64 * MiB);
  EXPECT_EQ(f.memory->in_use(), 14 * MiB);
}

TEST(device_memory, forgets_and_gives_back_everything_when_dropped) {
  const fixture f(64 * MiB);
  const auto set = some_rows();
  f.keep(set, 0, 10, MiB);
  const auto held = f.memory->acquire(2 * MiB, "held");
  f.memory->acquire(4 * MiB, "warm");
  f.memory->drop();
  EXPECT_EQ(f.memory->find(set, 0, 10), nullptr);
  EXPECT_EQ(f.memory->in_use(), 2 * MiB);
  EXPECT_EQ(f.device->held, 2 * MiB);
}

TEST(device_memory, gives_everything_back_at_its_end_and_blocks_may_outlive_it) {
  fixture f(64 * MiB, true);
  const auto set = some_rows();
  auto outlives = f.keep(set, 0, 10, 2 * MiB);
  f.memory->acquire(4 * MiB, "warm");
  f.memory.reset();
  EXPECT_EQ(f.device->held, 2 * MiB);
  EXPECT_EQ(f.host->in_use(), 2 * MiB);
  const std::weak_ptr<devices::attached> device = f.on;
  f.on.reset();
  EXPECT_FALSE(device.expired());  // the block needs it
  outlives.reset();
  EXPECT_TRUE(device.expired());
  EXPECT_EQ(f.host->in_use(), 0u);
}

TEST(device_memory, takes_blocks_back_from_other_threads) {
  const fixture f(16 * MiB);
  std::mutex mutex;
  std::deque<device_buffer_ptr> done;
  bool more = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (bool last = false; !last;) {
        device_buffer_ptr block;
        {
          std::lock_guard lock(mutex);
          last = !more && done.empty();
          if (!done.empty()) {
            block = std::move(done.front());
            done.pop_front();
          }
        }
        block.reset();
        std::this_thread::yield();
      }
    });
  const auto set = some_rows();
  for (std::int64_t i = 0; i < 2000; ++i) {
    try {
      std::lock_guard device(f.on->lock);
      auto block = f.memory->find(set, i % 20, 1);
      if (block == nullptr) {
        block = f.memory->acquire(MiB, "a");
        f.memory->keep(set, i % 20, 1, block);
      }
      std::lock_guard lock(mutex);
      done.push_back(std::move(block));
    } catch (const device_error&) {  // the others hold it all
      std::this_thread::yield();
    }
  }
  {
    std::lock_guard lock(mutex);
    more = false;
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(f.memory->peak(), 16 * MiB);
  f.memory->drop();
  EXPECT_EQ(f.memory->in_use(), 0u);
  EXPECT_EQ(f.device->held, 0u);
}

}  // namespace
}  // namespace pappus::memory
