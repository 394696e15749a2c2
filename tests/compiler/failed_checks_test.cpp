// Checks of users' functions that fail on OpenCL: the CPU says what of it, once, and of the rows in
// question alone.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/drivers.h"
#include "devices/registry.h"
#include "pappus/detail/fuse/thunk.h"
#include "pappus/pappus.h"
#include "support/few_rows.h"

namespace pappus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t rows = 10'000, chunk = 500;

/// Its device code is below, and says that a check fails in every row from `fails_from` on. On the
/// CPU none does, and calls are counted.
std::atomic<std::int64_t> calls{0};
struct one_more {
  std::int64_t fails_from, fails_until;
  std::int64_t operator()(std::int64_t x) const {
    ++calls;
    return x + 1;
  }
};
[[maybe_unused]] constexpr const char* one_more_on_device =
    R"json({"version":4, "name":"one_more", "source":"",
    "function":"one_more", "reasons":[], "doubles":false, "traps":true, "maths":[],
    "references":[], "reads":[], "throws":false,
    "text":"DEVICE void $f($0 const uchar* f, $1 const uchar* x, uchar* out, GLOBAL uint* trap) {
      const long value = *($1 const long*)x;
      if (value >= *($0 const long*)f && value < *($0 const long*)(f + 8)) {
        SET_TRAP(trap);
        return;
      }
      *(long*)out = value + 1;
    }"})json";

[[maybe_unused]] std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');  // JSON's strings have no line breaks
  return text;
}

class failed_checks : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "built without the compiler plugin";
#else
    session s(device());
    if (s.range(0, 8).explain_analyze().find("ran on opencl:0") == std::string::npos)
      GTEST_SKIP() << "no OpenCL device";
    static const std::string descriptor = on_one_line(one_more_on_device);
    using thunk = detail::call_thunk<one_more, std::int64_t, detail::keep_result,
                                     detail::input_list<std::int64_t>, detail::side_list<>>;
    detail::slot_of<thunk, one_more>::slot.compiled = descriptor.c_str();
    calls = 0;
#endif
  }

  static options device(const char* list = "opencl:0") {
    return {.chunk_rows = chunk, .devices = list};
  }

  static const char* all_devices() {
    return devices::all_devices().size() > 1 ? "opencl:0,opencl:1" : "opencl:0";
  }

  /// The CPU, one device, and all of them where there are more.
  static std::vector<const char*> lists_of_devices() {
    std::vector<const char*> lists{"cpu", "opencl:0"};
    if (devices::all_devices().size() > 1) lists.push_back(all_devices());
    return lists;
  }

  /// What a query throws, if it is a number.
  template <typename Query>
  static std::optional<std::int64_t> thrown_by(const Query& query) {
    try {
      query.collect();
    } catch (std::int64_t row) {
      return row;
    }
    return std::nullopt;
  }

  static std::vector<std::int64_t> one_more_each() {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < rows; ++i) all.push_back(i + 1);
    return all;
  }
};

TEST_F(failed_checks, throw_what_the_first_row_throws) {
  for (const char* list : lists_of_devices())
    for (const std::int64_t first : {0, 586, 2'850, 9'999}) {
      session s(device(list));
      const auto checked = [first](std::int64_t x) {
        if (x >= first && (x - first) % 151 == 0) throw x;
        return x;
      };
      const auto numbers = s.range(std::int64_t{0}, rows);
      EXPECT_EQ(thrown_by(numbers.map(checked)), first) << list;
      EXPECT_EQ(thrown_by(numbers.map(checked).filter([](std::int64_t x) { return x < 0; })), first)
          << list;
      EXPECT_EQ(thrown_by(numbers.flat_map([first](std::int64_t x) {
                  if (x >= first && (x - first) % 151 == 0) throw x;
                  return std::array<std::int64_t, 2>{x, -x};
                })),
                first)
          << list;
      EXPECT_EQ(thrown_by(numbers.map(checked).sort()), first) << list;
      EXPECT_EQ(thrown_by(numbers.map(checked).inclusive_scan()), first) << list;
      EXPECT_EQ(thrown_by(numbers
                              .group_by([first](std::int64_t x) {
                                if (x >= first && (x - first) % 151 == 0) throw x;
                                return x % 10;
                              })
                              .count()),
                first)
          << list;
      EXPECT_THROW(numbers.map(checked).sum().get(), std::int64_t) << list;
    }
}

TEST_F(failed_checks, run_no_other_chunk_on_the_cpu) {
  session s(device());
  const auto query = s.range(std::int64_t{0}, rows).map(one_more{2'850, 2'851});
  EXPECT_EQ(query.collect().to_vector(), one_more_each());
  EXPECT_EQ(calls, chunk);
  EXPECT_THAT(query.explain_analyze(),
              AllOf(HasSubstr("20 chunks on 1 device; 1 chunk from the CPU, where no check failed"),
                    HasSubstr("ran on opencl:0"), Not(HasSubstr("ran on the CPU"))));
}

TEST_F(failed_checks, that_hold_on_the_cpu_leave_all_chunks_to_it_if_need_be) {
  session s(device(all_devices()));
  const auto numbers = s.range(std::int64_t{0}, rows);
  EXPECT_EQ(numbers.map(one_more{0, rows}).collect().to_vector(), one_more_each());
  EXPECT_EQ(calls, rows);
  const auto none_there = [](std::int64_t x) { return x <= 1'750 || x > 3'750; };
  const auto kept = numbers.map(one_more{1'750, 3'750}).filter(none_there).collect().to_vector();
  auto expected = one_more_each();
  std::erase_if(expected, std::not_fn(none_there));
  EXPECT_EQ(kept, expected);
  // The kernel that counts records doesn't call what follows.
  const auto twice =
      numbers.flat_map([](std::int64_t x) { return std::array<std::int64_t, 2>{x, x}; });
  const auto doubled = twice.map(one_more{1'750, 3'750}).collect().to_vector();
  ASSERT_EQ(doubled.size(), static_cast<std::size_t>(2 * rows));
  for (std::int64_t i = 0; i < 2 * rows; ++i)
    ASSERT_EQ(doubled[static_cast<std::size_t>(i)], i / 2 + 1);
}

TEST_F(failed_checks, move_operators_that_cannot_mix_to_the_cpu) {
  session s(device());
  const auto query = s.range(std::int64_t{0}, rows).map(one_more{2'850, 2'851}).sort();
  const auto told = query.explain_analyze();
  EXPECT_THAT(told, HasSubstr("moved to the CPU: a check failed in one of its functions, but not"));
  EXPECT_EQ(query.collect().to_vector(), one_more_each());
  EXPECT_EQ(s.range(std::int64_t{0}, rows).map(one_more{2'850, 2'851}).sum().get(),
            rows * (rows + 1) / 2);
}

TEST_F(failed_checks, do_not_matter_behind_what_settles_the_result) {
  for (const char* list : {"cpu", "opencl:0"}) {
    session s(device(list));
    const auto found = s.range(std::int64_t{0}, rows).any([](std::int64_t x) {
      if (x == rows - 1) throw x;
      return x == 5;
    });
    EXPECT_TRUE(found.get()) << list;
  }
}

TEST_F(failed_checks, in_a_later_stage_throw_what_the_first_row_throws) {
  session s(device());
  const auto sorted = s.range(std::int64_t{0}, rows).map([](std::int64_t x) { return -x; }).sort();
  EXPECT_EQ(thrown_by(sorted.map([](std::int64_t x) {
              if (x > -1'000) throw x;
              return x;
            })),
            -999);
}

TEST_F(failed_checks, leave_no_file) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("pappus_failed_checks_" + std::to_string(getpid()) + ".npy");
  session s(device());
  const auto checked = s.range(std::int64_t{0}, rows).map([](std::int64_t x) {
    if (x == 7'500) throw std::domain_error("row 7500");
    return x;
  });
  EXPECT_THAT([&] { checked.write(path.string()); },
              ::testing::ThrowsMessage<std::domain_error>(
                  ::testing::StartsWith("row 7500; thrown in map")));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(failed_checks, and_other_versions_of_the_plugin_leave_the_cpu) {
  using thunk = detail::call_thunk<one_more, std::int64_t, detail::keep_result,
                                   detail::input_list<std::int64_t>, detail::side_list<>>;
  detail::slot_of<thunk, one_more>::slot.compiled = R"({"version":0})";
  session s(device());
  const auto query = s.range(std::int64_t{0}, rows).map(one_more{0, 0});
  EXPECT_THAT(
      query.explain(),
      HasSubstr("on the CPU: map: it was compiled by version 0 of the compiler plugin, this "
                "library expects version " +
                std::to_string(detail::compiler_version) + ": rebuild it"));
  EXPECT_EQ(query.collect().to_vector(), one_more_each());
}

/// One query of each kind, all of which throw in row `row`.
int failing_queries(const collection<std::int64_t>& numbers, std::int64_t row) {
  const auto refuse = [row](std::int64_t x) {
    if (x == row) throw std::runtime_error("refused");
    return x;
  };
  int thrown = 0;
  const auto expect_failure = [&](const auto& run) {
    try {
      run();
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  };
  expect_failure([&] { numbers.map(refuse).sum().get(); });
  expect_failure([&] { numbers.map(refuse).collect(); });
  expect_failure([&] { numbers.filter([=](auto x) { return refuse(x) > 5; }).collect(); });
  expect_failure(
      [&] { numbers.group_by([=](auto x) { return refuse(x) % 9; }).count().collect(); });
  expect_failure([&] { numbers.sort_by([=](auto x) { return -refuse(x); }).collect(); });
  expect_failure([&] { numbers.map(refuse).inclusive_scan().collect(); });
  return thrown;
}

// What devices keep for the next query (buffers, copies of rows that were read twice) is there
// after the first few; queries that fail add nothing to it.
TEST_F(failed_checks, leave_no_memory_in_use_however_many_queries_fail) {
  for (const std::size_t device_memory : {std::size_t{0}, std::size_t{256} << 20}) {
    session s({.devices = "opencl:0", .device_memory = device_memory});
    const std::int64_t n = testing::up_to(rows);
    const auto numbers = s.range(std::int64_t{0}, n).map([](std::int64_t x) { return x; }).cache();
    const int first = testing::few_rows() ? 1 : 3, further = testing::few_rows() ? 0 : 32;
    for (int i = 0; i < first; ++i) EXPECT_EQ(failing_queries(numbers, n - 1), 6);
    const auto used = s.host_memory_used();
    for (int i = 0; i < further; ++i) ASSERT_EQ(failing_queries(numbers, n - 1 - i), 6);
    EXPECT_EQ(s.host_memory_used(), used);
  }
}

}  // namespace
}  // namespace pappus
