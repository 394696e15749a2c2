// Copies by way of pinned memory. PoCL stands in for a discrete GPU: its device is told that its
// memory isn't the host's.
#include "devices/opencl/staging.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/device_errors.h"
#include "support/memory_apart.h"
#include "support/sanitizers.h"

namespace pappus::devices::opencl {
namespace {

using testing::error_of;

using ::testing::Each;
using ::testing::HasSubstr;

using values = std::vector<std::uint32_t>;
constexpr std::uint32_t untouched = 0xabababab;

/// The driver with faults on request, and what it was asked for. Of one thread at a time.
struct driver {
  static inline const library* real = nullptr;
  static inline std::size_t pinned = 0, pinned_max = 0, reads = 0, read_that_fails = 0;
  static inline bool lost = false;
  static inline std::set<void*> failed;

  static void reset() {
    real = load_library(nullptr);
    pinned = reads = read_that_fails = 0;
    pinned_max = std::numeric_limits<std::size_t>::max();
    lost = false;
    failed.clear();
  }
  static cl_mem create(cl_context on, cl_mem_flags flags, std::size_t bytes, void* host,
                       cl_int* code) {
    if ((flags & CL_MEM_ALLOC_HOST_PTR) == 0)
      return real->CreateBuffer(on, flags, bytes, host, code);
    ++pinned;
    if (pinned <= pinned_max) return real->CreateBuffer(on, flags, bytes, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  static cl_int read(cl_command_queue on, cl_mem from, cl_bool blocks, std::size_t offset,
                     std::size_t bytes, void* to, cl_uint count, const cl_event* after,
                     cl_event* done) {
    if (++reads == read_that_fails) return CL_OUT_OF_RESOURCES;
    return real->EnqueueReadBuffer(on, from, blocks, offset, bytes, to, count, after, done);
  }
  static cl_int info(cl_event e, cl_event_info what, std::size_t size, void* to,
                     std::size_t* needed) {
    if (!failed.contains(e)) return real->GetEventInfo(e, what, size, to, needed);
    *static_cast<cl_int*>(to) = CL_OUT_OF_RESOURCES;
    return CL_SUCCESS;
  }
  static cl_int wait(cl_uint count, const cl_event* events) {
    return lost ? CL_DEVICE_NOT_AVAILABLE : real->WaitForEvents(count, events);
  }
  static cl_int finish(cl_command_queue queue) {
    const cl_int code = real->Finish(queue);
    return lost ? CL_DEVICE_NOT_AVAILABLE : code;
  }
  static library table() {
    library result = *real;
    result.CreateBuffer = create;
    result.EnqueueReadBuffer = read;
    result.GetEventInfo = info;
    result.WaitForEvents = wait;
    result.Finish = finish;
    return result;
  }
};

values counted(std::size_t count, std::uint32_t first = 1) {
  values result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

constexpr std::size_t bytes_of(const values& v) { return v.size() * sizeof(std::uint32_t); }

class staged_copies : public ::testing::Test {
 protected:
  void SetUp() override {
    driver::reset();
    if (!driver::real) GTEST_SKIP() << "there is no OpenCL";
    table_ = driver::table();
    open(testing::small_slots);
    if (!on_) GTEST_SKIP() << "there is no OpenCL device";
  }
  void open(const staging_sizes& sizes) {
    queue_.reset();
    on_ = testing::open_memory_apart(sizes, &table_);
    if (on_) queue_ = on_->make_queue();
  }
  std::unique_ptr<buffer> upload(const values& v) {
    auto memory = on_->allocate(bytes_of(v));
    queue_->wait(queue_->write(*memory, 0, v.data(), bytes_of(v)));
    return memory;
  }
  event read(queue& by, const buffer& from, values& to) {
    return by.read(from, 0, to.data(), bytes_of(to));
  }

  library table_;
  std::unique_ptr<opencl_device> on_;
  std::unique_ptr<queue> queue_;
};

TEST_F(staged_copies, move_any_number_of_bytes_from_and_to_any_place) {
  constexpr std::size_t slot = testing::small_slots.slot_bytes;
  for (const std::size_t bytes :
       {std::size_t{63}, std::size_t{64}, std::size_t{65}, slot - 1, slot, slot + 1, 3 * slot - 1,
        3 * slot, 3 * slot + 1, 5 * slot, 5 * slot + 1, 20 * slot + 13})
    for (const std::size_t offset : {0, 1, 3, 1023}) {
      std::vector<unsigned char> from(offset + bytes), before(bytes + 2 * offset + 7, 3);
      for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7 + 1);
      const auto memory = on_->allocate(before.size());
      queue_->write(*memory, 0, before.data(), before.size());
      queue_->write(*memory, offset, from.data() + offset, bytes);
      std::vector<unsigned char> to(bytes + 2, 9), all(before.size());
      queue_->read(*memory, offset, to.data() + 1, bytes);
      queue_->wait(queue_->read(*memory, 0, all.data(), all.size()));
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(offset);
      ASSERT_TRUE(std::equal(first, from.end(), to.begin() + 1)) << bytes << " at " << offset;
      ASSERT_EQ(to.front(), 9);
      ASSERT_EQ(to.back(), 9);
      std::copy(first, from.end(), before.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(all, before) << bytes << " at " << offset;
    }
}

TEST_F(staged_copies, of_usual_sizes_move_what_several_threads_copy) {
  auto sizes = staging_sizes{};
  sizes.threads = 4;
  open(sizes);
  const std::size_t most = testing::sanitized ? 3'000'000 : 30'000'000;  // more than the slots
  for (const std::size_t count : {262'143UL, 262'144UL, 1'048'576UL, 1'048'577UL, most}) {
    const auto sent = counted(count);
    const auto memory = upload(sent);
    values got(count);
    queue_->wait(read(*queue_, *memory, got));
    ASSERT_TRUE(got == sent) << count;
  }
}

TEST_F(staged_copies, dont_change_what_was_written_after_the_call) {
  auto sent = counted(5000);
  const auto memory = on_->allocate(bytes_of(sent));
  queue_->write(*memory, 0, sent.data(), bytes_of(sent));
  std::ranges::fill(sent, 0u);
  values got(5000);
  queue_->wait(read(*queue_, *memory, got));
  EXPECT_EQ(got, counted(5000));
}

TEST_F(staged_copies, bring_bytes_when_somebody_waits_and_not_before) {
  const auto memory = upload(counted(700));
  values got(700, untouched);
  const event done = read(*queue_, *memory, got);
  EXPECT_THAT(got, Each(untouched));
  queue_->wait(done);
  EXPECT_EQ(got, counted(700));
}

TEST_F(staged_copies, are_all_there_when_the_last_is_waited_for) {
  std::vector<std::unique_ptr<buffer>> memory;
  for (std::uint32_t i = 0; i < 9; ++i) memory.push_back(upload(counted(40 + 200 * i, i)));
  std::vector<values> got;
  for (std::uint32_t i = 0; i < 9; ++i) got.emplace_back(40 + 200 * i, untouched);
  event last;
  for (std::size_t i = 0; i < 9; ++i) last = read(*queue_, *memory[i], got[i]);
  queue_->wait(last);
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(got[i], counted(40 + 200 * i, i));
}

TEST_F(staged_copies, are_there_when_a_small_one_behind_them_is_waited_for) {
  const auto memory = upload(counted(700));
  values got(700, untouched), few(3, untouched);
  read(*queue_, *memory, got);
  queue_->wait(read(*queue_, *memory, few));
  EXPECT_EQ(got, counted(700));
  EXPECT_EQ(few, counted(3));
}

TEST_F(staged_copies, behind_the_one_waited_for_stay_under_way) {
  const auto memory = upload(counted(200));
  values got(200, untouched), later(200, untouched);
  const event first = read(*queue_, *memory, got);
  const event second = read(*queue_, *memory, later);
  queue_->wait(first);
  EXPECT_EQ(got, counted(200));
  EXPECT_THAT(later, Each(untouched));
  queue_->wait(first);  // once more: nothing happens
  EXPECT_THAT(later, Each(untouched));
  queue_->wait(second);
  EXPECT_EQ(later, counted(200));
}

TEST_F(staged_copies, go_on_where_reads_of_several_queues_have_all_slots) {
  const auto memory = upload(counted(5000)), other = upload(counted(5000, 7));
  const auto second = on_->make_queue(), third = on_->make_queue();
  values a(250), b(250), c(5000), d(5000), e(5000);
  const event of_a = read(*queue_, *memory, a);
  const event of_b = read(*second, *other, b);
  const event of_c = read(*third, *other, c);
  const event of_d = read(*third, *memory, d);
  queue_->write(*memory, 0, c.data(), 0);
  const event of_e = read(*queue_, *other, e);
  third->wait(of_d);
  third->wait(of_c);
  second->wait(of_b);
  queue_->wait(of_a);
  queue_->wait(of_e);
  EXPECT_EQ(a, counted(250));
  EXPECT_EQ(b, counted(250, 7));
  EXPECT_EQ(c, counted(5000, 7));
  EXPECT_EQ(d, counted(5000));
  EXPECT_EQ(e, counted(5000, 7));
}

TEST_F(staged_copies, wait_for_kernels_of_other_queues) {
  const kernel_source source{
      "twice", "twice",
      std::make_shared<const std::string>("KERNEL void twice(GLOBAL uint* x, long n) {\n"
                                          "  FOR_ROWS(row, n) { x[row] *= 2; }\n}\n"),
      nullptr, nullptr};
  const auto kernel = on_->build(source);
  const auto kernels = on_->make_queue(), downloads = on_->make_queue();
  const std::int64_t count = 6000;
  std::vector<values> got;
  std::vector<std::unique_ptr<buffer>> memory;
  for (std::uint32_t i = 0; i < 6; ++i) got.emplace_back(count);
  event last;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const auto sent = counted(count, i);
    memory.push_back(on_->allocate(bytes_of(sent)));
    const event written = queue_->write(*memory[i], 0, sent.data(), bytes_of(sent));
    const event ran = kernels->launch(*kernel, {16, 0}, std::array<argument, 2>{memory[i], count},
                                      std::array{written});
    last = downloads->read(*memory[i], 0, got[i].data(), bytes_of(sent), std::array{ran});
  }
  downloads->wait(last);
  for (std::uint32_t i = 0; i < 6; ++i)
    for (std::uint32_t k = 0; k < count; ++k) ASSERT_EQ(got[i][k], 2 * (k + i));
}

TEST_F(staged_copies, may_be_many_that_nobody_waits_for) {
  const auto memory = upload(counted(500));
  std::vector<values> got(300, values(500, untouched));
  const auto sent = counted(500, 3);
  for (std::size_t i = 0; i < got.size(); ++i) {
    read(*queue_, *memory, got[i]);
    if (i == 150) queue_->write(*memory, 0, sent.data(), bytes_of(sent));
  }
  queue_->finish();
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], i <= 150 ? counted(500) : sent);
}

TEST_F(staged_copies, are_there_when_their_queue_is_destroyed) {
  const auto memory = upload(counted(3000));
  for (int round = 0; round < 10; ++round) {  // slots are free again
    values got(3000, untouched);
    auto other = on_->make_queue();
    read(*other, *memory, got);
    other.reset();
    ASSERT_EQ(got, counted(3000));
  }
}

TEST_F(staged_copies, pin_no_more_than_they_need_and_may) {
  const auto one = on_->allocate(16);
  const auto small = counted(4), large = counted(2560);
  queue_->wait(queue_->write(*one, 0, small.data(), 16));
  EXPECT_EQ(driver::pinned, 0u);
  for (int i = 0; i < 10; ++i) upload(counted(200));
  EXPECT_EQ(driver::pinned, 1u);
  values got(2560);
  const auto memory = upload(large);
  for (int i = 0; i < 10; ++i) {
    read(*queue_, *memory, got);
    queue_->write(*memory, 0, large.data(), bytes_of(large));
  }
  queue_->finish();
  EXPECT_LE(driver::pinned, testing::small_slots.slots);
}

TEST_F(staged_copies, go_directly_where_the_driver_pins_too_little) {
  for (const std::size_t pinned_max : {0, 1, 2, 4}) {
    driver::reset();
    driver::pinned_max = pinned_max;
    open(testing::small_slots);
    for (int round = 0; round < 3; ++round) {
      const auto sent = counted(7000), also = counted(300, 5);
      const auto memory = upload(sent), other = upload(also);
      const auto second = on_->make_queue();
      values got(7000), few(300);
      const event first = read(*second, *other, few);
      queue_->wait(read(*queue_, *memory, got));
      second->wait(first);
      ASSERT_EQ(got, sent);
      ASSERT_EQ(few, also);
    }
    EXPECT_LE(driver::pinned, pinned_max + 1) << "it was asked again";
  }
}

TEST_F(staged_copies, go_directly_where_pinned_memory_cannot_be_mapped) {
  table_.EnqueueMapBuffer = [](cl_command_queue, cl_mem, cl_bool, cl_map_flags, std::size_t,
                               std::size_t, cl_uint, const cl_event*, cl_event*,
                               cl_int* code) -> void* {
    *code = CL_MAP_FAILURE;
    return nullptr;
  };
  open(testing::small_slots);
  values got(7000);
  queue_->wait(read(*queue_, *upload(counted(7000)), got));
  EXPECT_EQ(got, counted(7000));
  EXPECT_EQ(driver::pinned, 1u);
}

TEST_F(staged_copies, of_a_read_that_could_not_be_enqueued_are_dropped) {
  const auto memory = upload(counted(700));
  values earlier(100, untouched), got(700, untouched);
  read(*queue_, *memory, earlier);
  driver::read_that_fails = driver::reads + 3;  // the last piece of the next
  const auto error = error_of([&] { read(*queue_, *memory, got); });
  EXPECT_EQ(error.what_failed, fault::out_of_memory);
  EXPECT_THAT(error.what(), HasSubstr("read of 2.7 KiB"));
  std::ranges::fill(got, untouched);
  queue_->finish();
  EXPECT_EQ(earlier, counted(100));
  EXPECT_THAT(got, Each(untouched));
  queue_->wait(read(*queue_, *memory, got));
  EXPECT_EQ(got, counted(700));
}

TEST_F(staged_copies, behind_a_failed_operation_bring_nothing_and_leave_no_slot_taken) {
  const auto memory = upload(counted(700));
  for (int round = 0; round < 5; ++round) {
    values got(700, untouched);
    const event bad = queue_->fill(*memory, 0, 32, 1);
    driver::failed.insert(bad.get());
    const event done = read(*queue_, *memory, got);
    EXPECT_THAT(error_of([&] { queue_->wait(done); }).what(), HasSubstr("fill of 32 B"));
    EXPECT_THAT(got, Each(untouched));
    driver::failed.clear();
    EXPECT_NO_THROW(queue_->finish());
    EXPECT_THAT(got, Each(untouched));
  }
}

TEST_F(staged_copies, that_failed_say_so) {
  const auto memory = upload(counted(700));
  values got(700, untouched);
  const event done = read(*queue_, *memory, got);
  driver::failed.insert(done.get());  // the last piece's
  EXPECT_THAT(error_of([&] { queue_->wait(done); }).what(), HasSubstr("read of 2.7 KiB"));
  const auto sent = counted(700);
  const event written = queue_->write(*memory, 0, sent.data(), bytes_of(sent));
  driver::failed.insert(written.get());
  EXPECT_THAT(error_of([&] { queue_->finish(); }).what(), HasSubstr("write of 2.7 KiB"));
}

TEST_F(staged_copies, of_a_lost_device_are_over_when_its_queue_was_finished) {
  const auto memory = upload(counted(700));
  values got(700, untouched);
  const event done = read(*queue_, *memory, got);
  driver::lost = true;
  EXPECT_EQ(error_of([&] { queue_->wait(done); }).what_failed, fault::lost);
  EXPECT_EQ(error_of([&] { queue_->finish(); }).what_failed, fault::lost);
  std::ranges::fill(got, untouched);  // or given back
  EXPECT_THROW(queue_->finish(), device_error);
  queue_.reset();
  EXPECT_THAT(got, Each(untouched));
}

TEST_F(staged_copies, of_two_devices_work_at_the_same_time) {
  std::vector<std::thread> threads;
  std::array<bool, 2> same{};
  for (unsigned number = 0; number < 2; ++number)
    threads.emplace_back([&, number] {
      auto sizes = testing::small_slots;
      sizes.slot_bytes = 700'000;
      const auto on = testing::open_memory_apart(sizes, nullptr, number);
      const auto up = on->make_queue(), down = on->make_queue();
      same[number] = true;
      for (std::uint32_t round = 0; round < 10; ++round) {
        const auto sent = counted(1'000'000, number + round);
        const auto memory = on->allocate(bytes_of(sent));
        values got(sent.size());
        const event written = up->write(*memory, 0, sent.data(), bytes_of(sent));
        down->wait(down->read(*memory, 0, got.data(), bytes_of(got), std::array{written}));
        up->wait(written);
        same[number] = same[number] && got == sent;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(same[0]);
  EXPECT_TRUE(same[1]);
}

}  // namespace
}  // namespace pappus::devices::opencl
