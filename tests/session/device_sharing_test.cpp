// Devices that threads and sessions share, and queries there that are cancelled or lose their
// session.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "devices/registry.h"
#include "pappus/pappus.h"
#include "session/two_devices.h"

namespace pappus::testing {
namespace {

constexpr const char* functions = R"(
int doubled(int x, int k) { return x * 2 + k; }
int is_even(int x) { return x % 2 == 0; }
)";
int doubled(int x, int k) { return x * 2 + k; }
bool is_even(int x) { return x % 2 == 0; }
auto doubling(int k) { return with_device_code(fn<doubled>, device_text("doubled", functions), k); }
auto even() { return with_device_code(fn<is_even>, device_text("is_even", functions)); }

constexpr int kinds = 5;

/// A query of the kind that a number stands for.
std::int64_t ask(session& s, const std::vector<int>& in, int number) {
  const auto rows = s.borrow(in);
  const auto always = [](std::span<const int>, std::span<const int>) { return true; };
  switch (number % kinds) {
    case 0:
      return rows.map(doubling(1)).sum().get();
    case 1:
      return rows.filter(even()).map(doubling(1)).sort().take(1000).sum().get();
    case 2:
      return static_cast<std::int64_t>(rows.group_by(doubling(3)).count().collect().size());
    case 3:
      return rows.inclusive_scan().max().get();
    default:
      return s
          .do_while(
              rows.take(5000),
              [&](const collection<int>& outer) {
                const auto body = [](const collection<int>& inner) {
                  return inner.map(doubling(1)).sort().materialise();
                };
                return s.do_while(outer.map(doubling(2)), body, always, max_iterations{2});
              },
              always, max_iterations{3})
          .sum()
          .get();
  }
}

struct place {
  const char* name;
  const char* devices;
};

class shared_devices : public ::testing::TestWithParam<place> {
 protected:
  void SetUp() override {
    if (std::string(GetParam().devices).starts_with("opencl") && devices::all_devices().size() < 2)
      GTEST_SKIP() << "needs two OpenCL devices";
    session cpu(options{.threads = 2, .devices = "cpu"});
    for (int i = 0; i < kinds; ++i) expected_[static_cast<std::size_t>(i)] = ask(cpu, in_, i);
  }

  static options settings(std::string devices = GetParam().devices) {
    return {.threads = 2,
            .host_memory = std::size_t{256} << 20,
            .devices = std::move(devices),
            .device_memory = std::size_t{2} << 20};
  }
  bool right(session& s, int number) const {
    return ask(s, in_, number) == expected_[static_cast<std::size_t>(number % kinds)];
  }
  /// Four threads ask `sessions` in turn.
  void expect_right_answers_from(const std::vector<std::unique_ptr<session>>& sessions) const {
    std::atomic<int> wrong{0};
    {
      std::vector<std::jthread> threads;
      for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
          for (unsigned i = 0; i < 10; ++i)
            if (!right(*sessions[(t + i) % sessions.size()], static_cast<int>(t + i))) ++wrong;
        });
    }
    EXPECT_EQ(wrong.load(), 0);
  }

  const std::vector<int> in_ = random(1).ints(30'000, 0, 10'000);
  std::array<std::int64_t, kinds> expected_{};
};

TEST_P(shared_devices, serve_several_threads_and_sessions) {
  std::vector<std::unique_ptr<session>> sessions;
  for (int i = 0; i < 3; ++i) sessions.push_back(std::make_unique<session>(settings()));
  expect_right_answers_from(sessions);
}

TEST_P(shared_devices, give_each_of_several_threads_what_its_own_function_captured) {
  session s(settings());
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        const std::vector<int> few(in_.begin(), in_.begin() + 100);
        const auto twice = 2 * std::accumulate(few.begin(), few.end(), std::int64_t{0});
        for (int k = t; k < 100; k += 4)
          if (s.borrow(few).map(doubling(k)).sum().get() != twice + 100 * k) ++wrong;
      });
  }
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(shared_devices, go_on_after_cancelled_queries) {
  session s(settings());
  random delays(2);
  for (int i = 0; i < 30; ++i) {
    std::jthread canceller([&, pause = std::chrono::microseconds(delays.between(0, 3000))] {
      std::this_thread::sleep_for(pause);
      s.cancel();
    });
    try {
      EXPECT_TRUE(right(s, i));
    } catch (const cancelled&) {  // as it may be
    }
  }
  for (int i = 0; i < kinds; ++i) EXPECT_TRUE(right(s, i));
  EXPECT_TRUE(s.device_faults().empty());
}

TEST_P(shared_devices, go_on_after_sessions_that_ended_in_a_query) {
  random delays(3);
  for (int i = 0; i < 20; ++i) {
    std::optional<session> ending(settings());
    const auto total = ending->borrow(in_).map(doubling(1)).sort().map(doubling(2)).sum();
    std::jthread killer([&, pause = std::chrono::microseconds(delays.between(0, 3000))] {
      std::this_thread::sleep_for(pause);
      ending.reset();
    });
    try {
      total.get();
    } catch (const cancelled&) {  // as it may be
    } catch (const usage_error&) {
    }
  }
  session s(settings());
  for (int i = 0; i < kinds; ++i) EXPECT_TRUE(right(s, i));
}

INSTANTIATE_TEST_SUITE_P(devices, shared_devices,
                         ::testing::Values(place{"opencl", "opencl:0,opencl:1"},
                                           place{"test", "test:seed=3,test:seed=4+like=gpu"}),
                         [](const auto& info) { return std::string(info.param.name); });

using lost_devices = shared_devices;

TEST_P(lost_devices, are_lost_by_two_sessions_at_once) {
  for (int call = 10; call < 30; ++call) {
    std::vector<std::unique_ptr<session>> sessions;
    for (const int more : {0, 2})
      sessions.push_back(std::make_unique<session>(settings(fmt::format(
          "test:delay_us=1+at={}/lost,test:delay_us=1+at={}/lost", call + more, 2 * call))));
    expect_right_answers_from(sessions);
  }
}

INSTANTIATE_TEST_SUITE_P(devices, lost_devices, ::testing::Values(place{"test", "test"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pappus::testing
