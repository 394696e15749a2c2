// Whoever breaks the contract of devices/device.h on the test device is stopped with a message.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "devices/test/test_device.h"

namespace pappus::devices::test {
namespace {

class misuse : public ::testing::Test {
 protected:
  misuse() { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }

  std::unique_ptr<kernel> build(host_kernel host) {
    return on_.build({"test.bad", "bad", nullptr, host, nullptr});
  }

  test_device on_;
  std::unique_ptr<buffer> memory_ = on_.allocate(101);
  std::unique_ptr<queue> queue_ = on_.make_queue();
};

void write_every_item(const host_launch& launch, std::size_t begin, std::size_t end) {
  auto* bytes = static_cast<volatile char*>(launch.arguments[0]);
  for (auto i = begin; i < end; ++i) bytes[i] = 1;
}

void write_before(const host_launch& launch, std::size_t begin, std::size_t) {
  if (begin == 0) static_cast<volatile char*>(launch.arguments[0])[-3] = 1;
}

// Writes behind its context, which stands for a buffer that it wasn't given.
void write_elsewhere(const host_launch& launch, std::size_t begin, std::size_t) {
  if (begin == 0) **static_cast<volatile char* const*>(launch.context) = 1;
}

void note_address(const host_launch& launch, std::size_t, std::size_t) {
  *static_cast<char**>(const_cast<void*>(launch.context)) = static_cast<char*>(launch.arguments[0]);
}

std::atomic<bool> held{true};
void hold(const host_launch&, std::size_t, std::size_t) {
  while (held) std::this_thread::yield();
}

TEST_F(misuse, a_write_behind_a_buffer_is_found_by_the_launch) {
  const auto bad = build(write_every_item);
  EXPECT_DEATH(
      {
        queue_->launch(*bad, {101, 64}, std::array<argument, 1>{memory_});
        queue_->finish();
      },
      "launch of test.bad \\(call 3\\) wrote at offset 101 of argument 0, a buffer of 101 bytes "
      "\\(128 items ran: kernels must test their number\\)|AddressSanitizer: use-after-poison");
}

TEST_F(misuse, a_write_before_a_buffer_is_found_by_the_launch) {
  const auto bad = build(write_before);
  EXPECT_DEATH(
      {
        queue_->launch(*bad, {1, 1}, std::array<argument, 1>{memory_});
        queue_->finish();
      },
      "wrote at offset -3 of argument 0|AddressSanitizer: use-after-poison");
}

TEST_F(misuse, a_write_around_another_buffer_is_found_when_that_is_used_or_destroyed) {
  char* address = nullptr;
  const auto note = on_.build({"test.note", "note", nullptr, note_address,
                               std::shared_ptr<const void>(&address, [](const void*) {})});
  queue_->launch(*note, {1, 1}, std::array<argument, 1>{memory_});
  queue_->finish();
  address += memory_->bytes;
  const auto bad = on_.build({"test.bad", "bad", nullptr, write_elsewhere,
                              std::shared_ptr<const void>(&address, [](const void*) {})});
  const auto run = [&] {
    queue_->launch(*bad, {1, 1}, {});
    queue_->finish();
  };
  EXPECT_DEATH(
      {
        run();
        queue_->fill(*memory_, 0, 1, 0);
        queue_->finish();
      },
      "fill of 1 B \\(call 8\\): found offset 101 of a buffer of 101 bytes written, by a kernel "
      "that ran before it|AddressSanitizer: use-after-poison");
  EXPECT_DEATH(
      {
        run();
        memory_.reset();
      },
      "a buffer of 101 bytes, when destroyed, was written at offset 101, by launch of test.note "
      "\\(call 3\\) or another kernel|AddressSanitizer: use-after-poison");
}

TEST_F(misuse, a_buffer_must_outlive_its_operations) {
  EXPECT_DEATH(
      {
        queue_->fill(*memory_, 0, 101, 0);
        memory_.reset();
      },
      "a buffer of 101 B is destroyed while 1 operations on it are under way, the last one: fill "
      "of "
      "101 B \\(call 2\\)");
}

TEST_F(misuse, an_operation_is_under_way_until_somebody_learns_that_it_is_over) {
  const auto other = on_.make_queue();
  auto kept = on_.allocate(8);
  queue_->fill(*memory_, 0, 101, 0);
  const auto written = queue_->fill(*kept, 0, 8, 0);
  const auto read = other->copy(*kept, 0, *memory_, 0, 8, std::array{written});
  const auto later = other->fill(*kept, 0, 8, 1);
  other->wait(read);  // tells about both fills of the first queue as well
  memory_.reset();
  EXPECT_DEATH(kept.reset(), "destroyed while 1 operations");
  other->wait(later);
  kept.reset();
  EXPECT_EQ(on_.bytes_in_use(), 0u);
}

TEST_F(misuse, a_failed_wait_tells_nothing_about_later_operations) {
  on_.plan({0, fault::launch_failed});
  const auto failed = queue_->fill(*memory_, 0, 101, 0);
  queue_->fill(*memory_, 0, 101, 0);
  EXPECT_THROW(queue_->wait(failed), device_error);
  EXPECT_DEATH(memory_.reset(), "destroyed while 1 operations");
  EXPECT_THROW(queue_->finish(), device_error);
  memory_.reset();
}

TEST_F(misuse, a_lost_device_tells_nothing_before_its_queue_is_finished) {
  queue_->fill(*memory_, 0, 101, 0);
  on_.plan({0, fault::lost});
  EXPECT_THROW(on_.make_queue(), device_error);
  EXPECT_DEATH(memory_.reset(), "destroyed while 1 operations");
  EXPECT_THROW(queue_->finish(), device_error);
  memory_.reset();
}

TEST_F(misuse, a_kernel_must_outlive_its_launches) {
  auto idle = build([](const host_launch&, std::size_t, std::size_t) {});
  EXPECT_DEATH(
      {
        queue_->launch(*idle, {1, 0}, {});
        idle.reset();
      },
      "kernel test.bad is destroyed while 1 launches of it are under way, the last one: launch of "
      "test.bad \\(call 3\\)");
}

TEST_F(misuse, ranges_lie_within_their_buffer) {
  char host[200] = {};
  EXPECT_DEATH(queue_->write(*memory_, 100, host, 2), "bytes 100 to 102 of a buffer of 101 bytes");
  EXPECT_DEATH(queue_->read(*memory_, 102, host, 0), "bytes 102 to 102 of a buffer of 101 bytes");
  EXPECT_DEATH(queue_->fill(*memory_, 1, SIZE_MAX, 0), "fill of .* of a buffer of 101 bytes");
  EXPECT_DEATH(queue_->copy(*memory_, 0, *memory_, 100, 2), "bytes 100 to 102");
}

TEST_F(misuse, a_copy_does_not_overlap_itself) {
  EXPECT_DEATH(queue_->copy(*memory_, 0, *memory_, 9, 10),
               "copy of 10 B \\(call 2\\) overlaps itself: offsets 0 and 9 of one buffer");
  queue_->copy(*memory_, 0, *memory_, 10, 10);
}

TEST_F(misuse, what_belongs_to_another_device_is_refused) {
  test_device other;
  const auto memory = other.allocate(8);
  const auto work = other.make_queue();
  const auto idle = other.build(
      {"test.idle", "idle", nullptr, [](const host_launch&, std::size_t, std::size_t) {}, nullptr});
  const auto done = work->fill(*memory, 0, 8, 0);
  EXPECT_DEATH(queue_->fill(*memory, 0, 8, 0), "uses a buffer of another device");
  EXPECT_DEATH(queue_->launch(*idle, {1, 0}, {}), "a kernel that another device built");
  EXPECT_DEATH(queue_->fill(*memory_, 0, 8, 0, std::array{done}), "an event of another device");
  EXPECT_DEATH(queue_->wait(done), "waits for fill of 8 B \\(call 3\\), an operation of another");
  work->finish();
}

TEST_F(misuse, a_queue_waits_for_its_own_operations) {
  const auto other = on_.make_queue();
  const auto done = other->fill(*memory_, 0, 8, 0);
  EXPECT_DEATH(queue_->wait(done), "an operation of another queue");
  other->wait(done);
}

TEST_F(misuse, arguments_are_buffers_or_small_values) {
  const auto idle = build([](const host_launch&, std::size_t, std::size_t) {});
  const std::array<char, argument_bytes_max + 1> large{};
  const std::unique_ptr<buffer> none;
  EXPECT_DEATH(
      queue_->launch(*idle, {1, 0}, std::array{argument(memory_), argument(&large, large.size())}),
      "argument 1 is neither a buffer nor a value of 1 to 512 bytes");
  EXPECT_DEATH(queue_->launch(*idle, {1, 0}, std::array{argument(none)}), "argument 0 is neither");
  EXPECT_DEATH(queue_->launch(*idle, {1, 257}, {}),
               "groups of 257 items, at most 256 are possible");
}

TEST_F(misuse, two_threads_do_not_call_at_once) {
  const auto holds = build(hold);
  EXPECT_DEATH(
      {
        const auto done = queue_->launch(*holds, {1, 1}, {});
        std::thread waiting([&] { queue_->wait(done); });
        // Calls until the other thread is in its own, where it stays.
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (std::chrono::steady_clock::now() < deadline)
          static_cast<void>(on_.is_built({"", "", nullptr, hold, nullptr}));
        held = false;
        waiting.join();
      },
      "two threads use the device at once; whoever calls must hold devices::attached::lock");
}

}  // namespace
}  // namespace pappus::devices::test
