// Chunks in which a check of a function fails on a device: the CPU computes them, as rows of the
// stage with their numbers, and what it throws or yields counts.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
        "doubles":false, "traps":true, "maths":[], "references":[], "reads":[],
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

}  // namespace
}  // namespace pappus::testing
