// Chunks in which a check of a function fails on a device: the CPU computes them, as rows of the
// stage with their numbers, and what it throws or yields counts.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "chunk_loop/chunk_job.h"
#include "chunk_loop/chunk_loop.h"
#include "device_ops/stage_runner.h"

namespace pappus::testing {
namespace {

using pappus::testing::compiling_devices;
using pappus::testing::records_of;
using pappus::testing::run_on;

constexpr std::int64_t rows = 40'000, chunk = 9'000;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

std::atomic<std::int64_t> calls{0};

/// On a device checks fail for numbers of [fails_from, fails_until), on the CPU from throws_from
/// on.
struct checked {
  std::int64_t fails_from, fails_until, throws_from = never;
  std::int64_t operator()(std::int64_t x) const {
    ++calls;
    if (x >= throws_from) throw x;
    return x + 1;
  }
};

/// As the compiler plugin would have described it.
const char* descriptor() {
  static const std::string text = [] {
    std::string json = R"json({"version":VERSION, "name":"checked", "source":"", "reasons":[],
        "doubles":false, "traps":true, "maths":[], "references":[], "reads":[], "throws":false,
        "text":"DEVICE void $f($0 const uchar* f, $1 const uchar* x, uchar* out, GLOBAL uint* trap)
        {
          const long value = *($1 const long*)x;
          if (value >= *($0 const long*)f && value < *($0 const long*)(f + 8)) {
            *trap = 1;
            return;
          }
          *(long*)out = value + 1;
        }"})json";
    std::ranges::replace(json, '\n', ' ');  // strings have no line breaks
    json.replace(json.find("VERSION"), 7, std::to_string(detail::compiler_version));
    return json;
  }();
  return text.c_str();
}

/// The stage of records mapped by `f`, which has device code.
detail::node_ptr stage_of(const query<detail::source<std::int64_t>>& numbers, const checked& f) {
  static checked captured;
  captured = f;
  const auto node = detail::access::node(numbers.map(f).materialise());
  const_cast<detail::node&>(*node).stage.describe = [](const void*, detail::device_writer& to) {
    static constexpr detail::device_type captures{
        .size = sizeof(checked), .align = alignof(checked), .cpp_name = "captures"};
    to.begin();
    const auto x = to.load(0, detail::device_type_of<std::int64_t>);
    to.begin();
    detail::compiled_call call;
    call.descriptor = descriptor();
    call.captures = {&captured, &captures};
    call.result = &detail::device_type_of<std::int64_t>;
    to.yield(to.call(call, {&x, 1}));
  };
  return node;
}

class failed_checks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (compiling_devices().empty()) GTEST_SKIP() << "no device that compiles";
    calls = 0;
  }
  static std::vector<std::int64_t> counted(std::int64_t from) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < rows; ++i) numbers.push_back(from + i);
    return numbers;
  }

  const std::vector<std::int64_t> zero_up_ = counted(0), one_up_ = counted(1);
  session cpu_{options{.threads = 2, .devices = "cpu"}};
  const query<detail::source<std::int64_t>> numbers_ = cpu_.borrow(zero_up_);
};

TEST_F(failed_checks, throw_what_the_cpu_throws_of_the_first_row) {
  for (const auto& device : compiling_devices())
    for (const std::int64_t first : {std::int64_t{0}, chunk + 1, rows - 1}) {
      const auto node = stage_of(numbers_, {first, rows, first});
      calls = 0;
      try {
        run_on(device, *node, chunk);
        ADD_FAILURE() << device.name << ": nothing was thrown";
      } catch (std::int64_t thrown) {
        EXPECT_EQ(thrown, first) << device.name;
      }
      EXPECT_LE(calls, chunk) << device.name;
    }
}

TEST_F(failed_checks, that_hold_on_the_cpu_have_their_chunks_from_there) {
  for (const auto& device : compiling_devices()) {
    const auto node = stage_of(numbers_, {chunk + 17, chunk + 18});
    calls = 0;
    EXPECT_EQ(records_of<std::int64_t>(run_on(device, *node, chunk)), one_up_) << device.name;
    EXPECT_EQ(calls, chunk) << device.name;
    const auto all = stage_of(numbers_, {0, rows});
    EXPECT_EQ(records_of<std::int64_t>(run_on(device, *all, chunk)), one_up_) << device.name;
  }
}

TEST_F(failed_checks, that_hold_on_the_cpu_move_stages_whose_rows_stay) {
  for (const auto& device : compiling_devices()) {
    const auto node = stage_of(numbers_, {chunk + 17, chunk + 18});
    EXPECT_THROW(run_on(device, *node, chunk, true), chunk_loop::needs_cpu) << device.name;
  }
}

/// Enqueues nothing. A check fails in chunk 0 once the other device has begun.
class failing_first final : public chunk_loop::chunk_operator {
 public:
  double row_bytes() const override { return 1; }
  void enqueue(chunk_loop::chunk_job& job) override {
    if (job.first == 0) job.state = std::move(in_first_);
  }
  void complete(chunk_loop::chunk_job& job) override {
    if (job.first == 0) {
      begun.wait(false);
      throw chunk_loop::check_failed{0};
    }
    const std::lock_guard lock(mutex_);
    done.insert(job.first);
  }
  bool take(std::int64_t first, const detail::row_set&) override {
    return taken.insert(first).second;
  }
  /// Whether the loop over chunks has dropped chunk 0, of which it knows then that it failed.
  bool failed() const { return first_.expired(); }

  std::atomic<bool> begun = false;  ///< the other device
  std::set<std::int64_t> done, taken;

 private:
  std::shared_ptr<void> in_first_ = std::make_shared<int>();
  const std::weak_ptr<void> first_ = in_first_;
  std::mutex mutex_;
};

/// Asked by the other device whether to stop, which it does in each round of its loop over chunks,
/// waits until the check has failed.
class waiting_workers final : public detail::workers {
 public:
  explicit waiting_workers(failing_first& on) : on_(on) {}
  unsigned count() const noexcept override { return 1; }
  void run(std::size_t items, detail::parallel_body body, void* context) override {
    for (std::size_t item = 0; item < items; ++item) body(context, item, 0);
  }
  bool stopping() const noexcept override {
    if (std::this_thread::get_id() == first_device_) return false;
    on_.begun = true;
    on_.begun.notify_one();
    while (!on_.failed()) std::this_thread::yield();
    return false;
  }

 private:
  failing_first& on_;
  const std::thread::id first_device_ = std::this_thread::get_id();
};

TEST(failed_check, leaves_nothing_to_do_for_a_device_that_is_about_to_begin) {
  session cpu(options{.threads = 1, .devices = "cpu"});
  const std::vector<std::int64_t> four{0, 1, 2, 3};
  const auto node = stage_of(cpu.borrow(four), {never, never});
  const auto memory = std::make_shared<memory::pool>(std::size_t{1} << 30);
  const auto chosen = devices::select("test:seed=1+delay_us=0,test:seed=2+delay_us=0").devices;
  chunk_loop::device_session one(chosen.at(0), 0, memory), other(chosen.at(1), 0, memory);
  failing_first with;
  waiting_workers team(with);
  chunk_loop::stage_run run{
      .node = *node,
      .inputs = {},
      .sides = {},
      .devices = {&one, &other},
      .team = team,
      .host_memory = memory,
      .rows = 4,
      .chunk_rows = 1,
      .rows_on_cpu = [](const chunk_loop::stage_run& stage, std::int64_t,
                        std::int64_t) -> detail::rows_ptr { return empty_result(stage); },
      .owner = node->name};
  stream_chunks(run, with);
  EXPECT_EQ(with.taken, std::set<std::int64_t>{0});
  EXPECT_EQ(with.done, (std::set<std::int64_t>{1, 2, 3}));
}

}  // namespace
}  // namespace pappus::testing
