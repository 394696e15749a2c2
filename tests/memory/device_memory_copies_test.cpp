// What a device_memory keeps, finds and evicts.
#include "memory/device_memory.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "memory/counting_device.h"

namespace pappus::memory {
namespace {

using devices::device_error;
using devices::fault;

TEST(device_memory, finds_the_rows_it_kept_and_no_others) {
  const fixture f(64 * MiB);
  const auto a = some_rows(), b = some_rows();
  const auto kept = f.keep(a, 100, 50, MiB);
  EXPECT_EQ(f.memory->find(a, 100, 50), kept);
  EXPECT_EQ(f.memory->find(a, 100, 20), kept);
  EXPECT_EQ(f.memory->find(a, 100, 51), nullptr);
  EXPECT_EQ(f.memory->find(a, 101, 10), nullptr);
  EXPECT_EQ(f.memory->find(a, 100, 0), nullptr);
  EXPECT_EQ(f.memory->find(b, 100, 50), nullptr);
}

TEST(device_memory, keeps_each_row_once) {
  const fixture f(64 * MiB);
  const auto set = some_rows();
  for (const std::int64_t first : {0, 100, 200, 300}) f.keep(set, first, 100, MiB);
  f.keep(set, 150, 100, MiB);  // instead of those at 100 and 200
  EXPECT_EQ(f.memory->in_use(), 3 * MiB);
  EXPECT_NE(f.memory->find(set, 0, 100), nullptr);
  EXPECT_EQ(f.memory->find(set, 100, 100), nullptr);
  EXPECT_EQ(f.memory->find(set, 200, 100), nullptr);
  EXPECT_NE(f.memory->find(set, 300, 100), nullptr);
}

TEST(device_memory, tells_how_much_of_a_set_it_keeps) {
  const fixture f(64 * MiB);
  const auto set = some_rows();
  EXPECT_EQ(f.memory->bytes_kept(*set), 0);
  f.keep(set, 0, 100, MiB);
  f.keep(set, 200, 50, MiB);
  EXPECT_EQ(f.memory->bytes_kept(*set), 150.0 * 4);
  EXPECT_EQ(f.memory->bytes_kept(*some_rows()), 0);
}

TEST(device_memory, does_not_take_a_new_set_for_a_dead_one_at_the_same_address) {
  const fixture f(64 * MiB);
  detail::row_set rows(detail::record_type{.size = 4, .align = 4, .name = "row"});
  const auto owner = [&] { return detail::rows_ptr(&rows, [](const detail::row_set*) {}); };
  auto set = owner();
  f.keep(set, 0, 10, MiB);
  set = owner();
  EXPECT_EQ(f.memory->find(set, 0, 10), nullptr);
  f.keep(set, 20, 10, MiB);
  EXPECT_EQ(f.memory->in_use(), MiB);
}

TEST(device_memory, evicts_dead_sets_first_though_used_last) {
  const fixture f(16 * MiB);
  auto dead = some_rows();
  const auto alive = some_rows();
  f.keep(alive, 0, 10, 8 * MiB);
  f.keep(dead, 0, 10, 8 * MiB);
  dead.reset();
  f.memory->acquire(8 * MiB, "a");
  EXPECT_NE(f.memory->find(alive, 0, 10), nullptr);
}

TEST(device_memory, evicts_the_set_unused_for_longest_and_of_it_what_was_used_last) {
  const fixture f(4 * MiB);
  const auto old = some_rows(), streamed = some_rows();
  for (const std::int64_t first : {0, 10}) f.keep(old, first, 10, MiB);
  for (const std::int64_t first : {0, 10}) f.keep(streamed, first, 10, MiB);
  const auto kept = [&] {
    std::string text;
    for (const auto& set : {old, streamed})
      for (const std::int64_t first : {0, 10})
        text += f.memory->find(set, first, 10) != nullptr ? '1' : '0';
    return text;
  };
  std::vector<device_buffer_ptr> held;
  for (const char* expected : {"1011", "0011", "0010", "0000"}) {
    held.push_back(f.memory->acquire(MiB, "more"));
    EXPECT_EQ(kept(), expected);
  }
}

TEST(device_memory, counts_finding_as_a_use_of_set_and_copy) {
  const fixture f(4 * MiB);
  const auto a = some_rows(), b = some_rows();
  for (const auto& set : {a, b})
    for (const std::int64_t first : {0, 10}) f.keep(set, first, 10, MiB);
  f.memory->find(b, 0, 10);
  f.memory->find(a, 0, 10);
  const auto more = f.memory->acquire(MiB, "more");
  EXPECT_EQ(f.memory->find(b, 0, 10), nullptr);
  EXPECT_NE(f.memory->find(b, 10, 10), nullptr);
}

TEST(device_memory, never_evicts_a_copy_that_somebody_uses) {
  const fixture f(16 * MiB);
  const auto set = some_rows();
  f.keep(set, 0, 10, 8 * MiB);
  const auto used = f.keep(set, 10, 10, 8 * MiB);  // would be the first to go
  const auto other = f.memory->acquire(8 * MiB, "a");
  EXPECT_EQ(f.memory->find(set, 10, 10), used);
  EXPECT_THROW(f.memory->acquire(8 * MiB, "b"), device_error);
  EXPECT_EQ(f.memory->find(set, 10, 10), used);
}

TEST(device_memory, gives_up_warm_buffers_before_copies) {
  const fixture f(16 * MiB);
  const auto set = some_rows();
  f.keep(set, 0, 10, 4 * MiB);
  f.memory->acquire(12 * MiB, "warm");
  f.memory->acquire(6 * MiB, "a");
  EXPECT_NE(f.memory->find(set, 0, 10), nullptr);
}

/// Streams `sets` together, chunk by chunk, the chunk before still in use, and counts the copies
/// found.
int pass(device_memory& memory, const std::vector<detail::rows_ptr>& sets, int chunks) {
  int found = 0;
  std::vector<device_buffer_ptr> before;
  for (std::int64_t first = 0; first < chunks; ++first) {
    std::vector<device_buffer_ptr> now;
    for (const auto& set : sets) {
      now.push_back(memory.find(set, first, 1));
      if (now.back() != nullptr) {
        ++found;
      } else {
        now.back() = memory.acquire(MiB, "stream");
        memory.keep(set, first, 1, now.back());
      }
    }
    before = std::move(now);
  }
  return found;
}

TEST(device_memory, lets_a_loop_find_half_of_an_input_twice_the_devices_size) {
  const fixture f(16 * MiB);
  const auto set = some_rows();
  EXPECT_EQ(pass(*f.memory, {set}, 32), 0);
  for (int iteration = 0; iteration < 100; ++iteration)
    EXPECT_GE(pass(*f.memory, {set}, 32), 16 - 2);  // less the chunks in use
  EXPECT_EQ(f.device->allocations, 16);
}

TEST(device_memory, lets_a_loop_find_half_of_two_inputs_streamed_together) {
  const fixture f(16 * MiB);
  const std::vector<detail::rows_ptr> sets{some_rows(), some_rows()};
  EXPECT_EQ(pass(*f.memory, sets, 16), 0);
  for (int iteration = 0; iteration < 100; ++iteration)
    EXPECT_GE(pass(*f.memory, sets, 16), 16 - 4);
}

TEST(device_memory, lets_a_loop_find_all_of_an_input_that_fits) {
  const fixture f(16 * MiB);
  const auto set = some_rows();
  pass(*f.memory, {set}, 16);
  EXPECT_EQ(pass(*f.memory, {set}, 16), 16);
}

/// Random calls, and what must be true of each whatever is kept.
class random_calls {
 public:
  explicit random_calls(std::uint64_t seed) : random_(seed), f_(32 * MiB, seed % 2 == 1) {
    for (auto& set : sets_) set = some_rows();
  }
  ~random_calls() {
    held_.clear();
    f_.memory->drop();
    EXPECT_EQ(f_.memory->in_use(), 0u);
    EXPECT_EQ(f_.device->held, 0u);
    EXPECT_EQ(f_.host->in_use(), 0u);
  }

  void step() {
    switch (below(8)) {
      case 0:
        sets_[below(3)] = some_rows();
        break;
      case 1:
      case 2:
        if (!held_.empty()) {
          std::swap(held_[below(held_.size())], held_.back());
          held_.pop_back();
        }
        break;
      case 3:
        f_.device->free = below(4) == 0 ? 8 * MiB : 32 * MiB;
        break;
      case 4:
        if (below(50) == 0) f_.memory->drop();
        break;
      default:
        use();
    }
    EXPECT_GE(f_.memory->in_use(), in_hands());
    EXPECT_GE(f_.device->held, f_.memory->in_use());
    EXPECT_LE(f_.device->held, f_.memory->limit());
    EXPECT_LE(f_.memory->peak(), f_.memory->limit());
    EXPECT_EQ(f_.host->in_use(), f_.on->about().host_memory ? f_.device->held : 0u);
  }

 private:
  struct use_of {
    device_buffer_ptr block;
    detail::rows_ptr set;
    std::int64_t first, rows;
  };
  std::size_t below(std::size_t n) { return random_() % n; }
  std::size_t in_hands() const {
    std::map<const device_buffer*, std::size_t> blocks;  // some are held twice
    for (const auto& use : held_) blocks[use.block.get()] = use.block->memory->bytes;
    std::size_t sum = 0;
    for (const auto& [block, bytes] : blocks) sum += bytes;
    return sum;
  }
  void use() {
    const auto& set = sets_[below(3)];
    const auto first = static_cast<std::int64_t>(below(20)) * 10;
    const auto rows = static_cast<std::int64_t>(10 + below(2) * 10);
    const std::size_t bytes =
        below(8) == 0 ? below(20 * MiB) : static_cast<std::size_t>(rows) << 17;
    if (auto found = f_.memory->find(set, first, rows)) {
      const auto tag = tags_.find(found.get());  // kept for these rows of this set
      ASSERT_NE(tag, tags_.end());
      EXPECT_EQ(tag->second.first, set.get());
      EXPECT_EQ(tag->second.second, first);
      held_.push_back({std::move(found), set, first, rows});
      return;
    }
    try {
      auto block = f_.memory->acquire(bytes, "random");
      EXPECT_GE(block->memory->bytes, bytes);
      tags_[block.get()] = {set.get(), first};
      f_.memory->keep(set, first, rows, block);
      EXPECT_EQ(f_.memory->find(set, first, rows), block);
      held_.push_back({std::move(block), set, first, rows});
    } catch (const device_error& refused) {  // only where what is held leaves no room
      EXPECT_EQ(refused.what_failed, fault::out_of_memory);
      EXPECT_GT(in_hands() + device_memory::charged(bytes),
                std::min(f_.device->free, f_.memory->limit()));
    }
  }

  std::mt19937_64 random_;
  fixture f_;
  detail::rows_ptr sets_[3];
  std::vector<use_of> held_;
  std::map<const device_buffer*, std::pair<const detail::row_set*, std::int64_t>> tags_;
};

TEST(device_memory, keeps_its_promises_under_random_calls) {
  const std::uint64_t first = std::random_device{}();
  for (std::uint64_t seed = first; seed < first + 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_calls calls(seed);
    for (int i = 0; i < 1000 && !::testing::Test::HasFailure(); ++i) calls.step();
  }
}

}  // namespace
}  // namespace pappus::memory
