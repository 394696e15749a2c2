// What lies on a device alone, and what of it a device_memory has moved to the host.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "memory/counting_device.h"
#include "memory/device_memory.h"

namespace pappus::memory {
namespace {

using devices::device_error;
using devices::fault;

/// Notes that it was moved.
class noted final : public device_resident {
 public:
  noted(char name, device_buffer_ptr block, std::string& moved)
      : name_(name), block_(std::move(block)), moved_(moved) {}
  bool move_to_host() override {
    if (before) before();
    if (!block_ || block_.use_count() > 1) return false;
    moved_ += name_;
    block_.reset();
    return true;
  }
  bool is_on_host() const noexcept override { return copied; }
  device_buffer_ptr block() const { return block_; }

  std::function<void()> before;  ///< what happens on the way
  bool copied = false;

 private:
  const char name_;
  device_buffer_ptr block_;
  std::string& moved_;
};

struct with_residents : fixture {
  using fixture::fixture;
  std::shared_ptr<noted> leave(char name, std::uint64_t set, std::size_t bytes = MiB) {
    auto made = std::make_shared<noted>(name, memory->acquire(bytes, "leave"), moved);
    memory->add(made, set);
    return made;
  }
  std::string moved;
};

std::string refusal(const device_memory& memory, const std::function<void()>& action) {
  try {
    action();
  } catch (const device_error& problem) {
    EXPECT_EQ(problem.what_failed, fault::out_of_memory);
    EXPECT_EQ(problem.device_name, memory.on()->about().name);
    return problem.what();
  }
  return "no error";
}

TEST(device_memory, has_residents_moved_after_warm_buffers_and_kept_copies) {
  with_residents f(16 * MiB);
  const auto set = some_rows();
  const auto a = f.leave('a', 1, 4 * MiB);  // used before all others
  f.keep(set, 0, 10, 4 * MiB);
  f.memory->acquire(6 * MiB, "warm");
  std::vector<device_buffer_ptr> held{f.memory->acquire(8 * MiB, "a")};
  EXPECT_NE(f.memory->find(set, 0, 10), nullptr);
  EXPECT_EQ(f.moved, "");
  held.push_back(f.memory->acquire(4 * MiB, "b"));
  EXPECT_EQ(f.memory->find(set, 0, 10), nullptr);
  EXPECT_EQ(f.moved, "");
  held.push_back(f.memory->acquire(4 * MiB, "c"));
  EXPECT_EQ(f.moved, "a");
  EXPECT_EQ(f.memory->in_use(), 16 * MiB);
}

TEST(device_memory, has_the_set_moved_unused_for_longest_and_of_it_what_was_used_last) {
  with_residents f(4 * MiB);
  const auto a = f.leave('a', 7), b = f.leave('b', 7), c = f.leave('c', 3), d = f.leave('d', 3);
  std::vector<device_buffer_ptr> held;
  for (const char* expected : {"b", "ba", "bad", "badc"}) {
    held.push_back(f.memory->acquire(MiB, "more"));
    EXPECT_EQ(f.moved, expected);
  }
}

TEST(device_memory, counts_a_use_of_a_resident_as_one_of_its_set) {
  with_residents f(4 * MiB);
  const auto a = f.leave('a', 1), b = f.leave('b', 1), c = f.leave('c', 2), d = f.leave('d', 2);
  f.memory->used(*c);
  f.memory->used(*a);
  std::vector<device_buffer_ptr> held;
  for (const char* expected : {"c", "cd", "cda", "cdab"}) {
    held.push_back(f.memory->acquire(MiB, "more"));
    EXPECT_EQ(f.moved, expected);
  }
}

TEST(device_memory, has_residents_moved_first_that_are_on_the_host_too) {
  with_residents f(4 * MiB);
  const auto a = f.leave('a', 1), b = f.leave('b', 1), c = f.leave('c', 2), d = f.leave('d', 2);
  b->copied = c->copied = true;
  std::vector<device_buffer_ptr> held;
  for (const char* expected : {"b", "bc", "bca", "bcad"}) {
    held.push_back(f.memory->acquire(MiB, "more"));
    EXPECT_EQ(f.moved, expected);
  }
}

TEST(device_memory, has_as_many_residents_moved_as_it_needs) {
  with_residents f(6 * MiB);
  const auto a = f.leave('a', 1), b = f.leave('b', 2), c = f.leave('c', 3), d = f.leave('d', 4);
  f.memory->acquire(4 * MiB, "more");  // there were two
  EXPECT_EQ(f.moved, "ab");
}

TEST(device_memory, passes_over_residents_that_are_used_or_cannot_be_moved) {
  with_residents f(4 * MiB);
  const auto a = f.leave('a', 1), b = f.leave('b', 2), c = f.leave('c', 3), d = f.leave('d', 4);
  auto used = a->block();
  std::vector<device_buffer_ptr> held{f.memory->acquire(MiB, "more")};
  EXPECT_EQ(f.moved, "b");
  held.push_back(f.memory->acquire(2 * MiB, "more"));
  EXPECT_EQ(f.moved, "bcd");
  used.reset();
  held.push_back(f.memory->acquire(MiB, "more"));
  EXPECT_EQ(f.moved, "bcda");
}

TEST(device_memory, refuses_what_residents_that_cannot_be_moved_leave_no_room_for) {
  with_residents f(4 * MiB);
  const auto a = f.leave('a', 1, 2 * MiB), b = f.leave('b', 2, 2 * MiB);
  const std::vector<device_buffer_ptr> used{a->block(), b->block()};
  EXPECT_EQ(refusal(*f.memory, [&] { f.memory->acquire(MiB, "sort"); }),
            "fake:0: sort: needs 1 MiB more, but 4 MiB of the device's memory limit of 4 MiB "
            "are in use; raise the limit (PAPPUS_DEVICE_MEMORY) or use less data");
  EXPECT_EQ(f.moved, "");
}

TEST(device_memory, forgets_residents_that_are_gone) {
  with_residents f(4 * MiB);
  for (char name = 'a'; name < 'z'; ++name) f.leave(name, 1);
  const auto alive = f.leave('z', 2, 2 * MiB);
  std::vector<device_buffer_ptr> held{f.memory->acquire(2 * MiB, "more")};
  EXPECT_EQ(f.moved, "");
  f.memory->used(noted('y', nullptr, f.moved));  // unknown to it
  held.push_back(f.memory->acquire(MiB, "more"));
  EXPECT_EQ(f.moved, "z");
  EXPECT_THROW(f.memory->acquire(2 * MiB, "more"), device_error);
}

TEST(device_memory, has_residents_moved_one_by_one_when_the_device_refuses_before_the_limit) {
  with_residents f(64 * MiB);
  const auto a = f.leave('a', 1, 4 * MiB), b = f.leave('b', 2, 4 * MiB),
             c = f.leave('c', 3, 4 * MiB);
  const auto set = some_rows();
  f.keep(set, 0, 10, 4 * MiB);
  f.device->free = 16 * MiB;  // somebody else has the rest
  std::vector<device_buffer_ptr> held{f.memory->acquire(3 * MiB, "more")};
  EXPECT_EQ(f.memory->find(set, 0, 10), nullptr);
  EXPECT_EQ(f.moved, "");
  held.push_back(f.memory->acquire(3 * MiB, "more"));
  EXPECT_EQ(f.moved, "a");
  f.device->free = 10 * MiB;
  EXPECT_EQ(refusal(*f.memory, [&] { f.memory->acquire(5 * MiB, "sort"); }),
            "fake:0: sort: needs 5 MiB more and was refused, with 6 MiB of the limit of 64 "
            "MiB in use: fake:0: no more; somebody else holds the rest: free it, or lower the "
            "limit (PAPPUS_DEVICE_MEMORY) so that stages ask for less at a time");
  EXPECT_EQ(f.moved, "abc");
}

TEST(device_memory, has_residents_moved_where_its_memory_is_the_hosts_and_that_is_short) {
  with_residents f(0, true);  // of 64 MiB
  const auto a = f.leave('a', 1, 16 * MiB), b = f.leave('b', 2, 16 * MiB);
  f.host->charge(32 * MiB, "others");
  const auto more = f.memory->acquire(8 * MiB, "more");
  EXPECT_EQ(f.moved, "a");
  EXPECT_EQ(f.host->in_use(), (32 + 16 + 8) * MiB);
}

TEST(device_memory, hands_on_what_a_resident_throws_and_stays_as_it_was) {
  with_residents f(4 * MiB);
  const auto a = f.leave('a', 1, 2 * MiB), b = f.leave('b', 2, 2 * MiB);
  a->before = [] { throw device_error(fault::lost, "fake:0", "gone"); };
  try {
    f.memory->acquire(MiB, "more");
    FAIL() << "no error";
  } catch (const device_error& problem) {
    EXPECT_EQ(problem.what_failed, fault::lost);
  }
  EXPECT_EQ(f.memory->in_use(), 4 * MiB);
  a->before = nullptr;
  f.memory->acquire(2 * MiB, "more");
  EXPECT_EQ(f.moved, "a");
}

/// As a host does whose memory is short meanwhile, where it is the device's, too.
TEST(device_memory, lets_all_copies_be_dropped_while_a_resident_is_moved) {
  with_residents f(8 * MiB);
  const auto set = some_rows();
  const auto a = f.leave('a', 1, 4 * MiB), b = f.leave('b', 2, 2 * MiB);
  const auto used = f.keep(set, 0, 10, 2 * MiB);
  for (const auto& one : {a, b}) one->before = [&] { f.memory->drop(); };
  const auto more = f.memory->acquire(5 * MiB, "more");
  EXPECT_EQ(f.moved, "ab");
  EXPECT_EQ(f.device->held, 7 * MiB);
}

TEST(device_memory, lets_a_resident_end_while_it_is_moved) {
  with_residents f(4 * MiB);
  auto a = f.leave('a', 1, 2 * MiB), b = f.leave('b', 2, 2 * MiB);
  a->before = [&] { a.reset(); };
  const auto more = f.memory->acquire(3 * MiB, "more");
  EXPECT_EQ(f.moved, "ab");
  EXPECT_EQ(f.memory->in_use(), 3 * MiB);
}

/// Whatever residents, copies and warm buffers there are: what fits beside what is used is given.
TEST(device_memory, gives_room_that_only_unused_residents_take_under_random_calls) {
  const std::uint64_t first = std::random_device{}();
  std::size_t moved = 0;
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return random() % n; };
    with_residents f(32 * MiB);
    const auto set = some_rows();
    std::vector<std::shared_ptr<noted>> residents;
    std::vector<device_buffer_ptr> held;
    const auto forget_one = [&](auto& list) {
      if (list.empty()) return;
      std::swap(list[below(list.size())], list.back());
      list.pop_back();
    };
    for (int i = 0; i < 300; ++i) {
      const std::size_t bytes = (1 + below(6)) * MiB;
      std::size_t used = 0;
      for (const auto& one : held) used += one->memory->bytes;
      if (used + bytes > 32 * MiB) {
        held.clear();
        continue;
      }
      switch (below(8)) {
        case 0:
          forget_one(residents);
          break;
        case 1:
          forget_one(held);
          break;
        case 2:
          held.push_back(f.memory->acquire(bytes, "held"));
          break;
        case 3:
          f.keep(set, static_cast<std::int64_t>(below(20)), 1, bytes);
          break;
        case 4:
          if (!residents.empty()) f.memory->used(*residents[below(residents.size())]);
          break;
        default:
          residents.push_back(f.leave('r', below(4), bytes));
      }
      ASSERT_LE(f.device->held, f.memory->limit());
    }
    moved += f.moved.size();
    residents.clear();
    held.clear();
    f.memory->drop();
    EXPECT_EQ(f.memory->in_use(), 0u);
    EXPECT_EQ(f.device->held, 0u);
  }
  EXPECT_GT(moved, 100u);
}

}  // namespace
}  // namespace pappus::memory
