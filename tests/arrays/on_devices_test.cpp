// Launches of sessions that have a test device.
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/held_launches.h"

namespace pappus {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* device = "test:seed=1+delay_us=0";

std::vector<int> numbers(int n) {
  std::vector<int> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// Doubles, and asks `also` at each index.
template <typename F>
void double_it(session& s, const array<int>& in, const array<int>& out, F also) {
  s.for_each(in.extent(0),
             annotated(
                 [also](idx<1> i, reads<int> from, writes<int> to) {
                   also(i);
                   to[i] = 2 * from[i];
                 },
                 "from, to: global i => read from[i], write to[i]"),
             in, out);
}

TEST(arrays_on_devices, take_what_launches_there_write) {
  session s(options{.devices = device});
  const auto in = s.to_array(numbers(10'000)), out = s.unwritten<int>({10'000});
  {
    const testing::held_launches held(s);
    double_it(s, in, out, [](std::int64_t) {});
    EXPECT_THAT(out.explain(), HasSubstr("on test:"));
  }
  EXPECT_EQ(out.rows().map([](int x) { return std::int64_t{x}; }).sum().get(), 99'990'000);
  EXPECT_THAT(s.device_faults(), IsEmpty());
}

TEST(arrays_on_devices, are_the_cpu_s_where_nobody_knows_what_is_touched) {
  session s(options{.devices = device});
  const auto out = s.unwritten<int>({5});
  const auto unknown = s.zeros<int>({5});
  // Through a pointer that no compiler sees through.
  static int (*volatile hidden)(int) = [](int i) { return 4 - i; };
  s.for_each(
      {5}, [](int i, reads<int> from, writes<int> to) { to[i] = from[hidden(i)] + i; }, unknown,
      out);
  EXPECT_EQ(out.to_vector(), numbers(5));
}

TEST(arrays_on_devices, fail_as_on_the_cpu) {
  const auto failure_on = [](const char* devices) {
    session s(options{.devices = devices});
    const auto in = s.to_array(numbers(100)), out = s.unwritten<int>({100});
    double_it(s, in, out, [](std::int64_t i) {
      if (i == 77) throw std::runtime_error("unlucky");
    });
    try {
      out.to_vector();
    } catch (const launch_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_THAT(failure_on(device), HasSubstr("at index [77]: unlucky"));
  EXPECT_EQ(failure_on(device), failure_on("cpu"));
}

TEST(arrays_on_devices, refuse_launches_from_inside_of_launches) {
  session s(options{.devices = device});
  const auto in = s.to_array(numbers(10)), out = s.unwritten<int>({10});
  const auto other = s.zeros<int>({10});
  double_it(s, in, out, [&](std::int64_t) { other.fill(1); });
  EXPECT_THROW(out.to_vector(), launch_error);
  EXPECT_EQ(other.to_vector(), std::vector<int>(10, 0));
}

TEST(arrays_on_devices, tell_that_a_launch_moved_to_the_cpu) {
  session s(options{.devices = std::string(device) + "+launch=1"});
  const auto in = s.to_array(numbers(1000)), out = s.unwritten<int>({1000});
  double_it(s, in, out, [](std::int64_t) {});
  EXPECT_EQ(out.to_vector()[999], 1998);
  EXPECT_THAT(s.device_faults(),
              Contains(HasSubstr("an operation failed, so the launch moved to the CPU")));
}

}  // namespace
}  // namespace pappus
