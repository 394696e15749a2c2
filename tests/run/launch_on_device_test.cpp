// Launches on test devices, whose memory is their own and holds poison where nothing was copied.
#include "run/launch_on_device.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/batch.h"
#include "support/launches.h"

namespace pappus::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::launch_list;

/// A test device that launches are to run on, and what was told of it.
class one_device {
 public:
  explicit one_device(const std::string& specification)
      : session_(devices::select("test:" + specification).devices.front(), 0, nullptr) {}

  cost::machine machine() const {
    auto made = testing::made_up_machine();
    made.cpu = false;
    auto& device = made.devices.emplace_back();
    device.name = "test";
    device.memory_bytes = 1e9;
    return made;
  }
  /// Runs launches to their end.
  std::unique_ptr<batch> run(const launch_list& launches, plan::plan p, threads::team& team) {
    auto all = std::make_unique<batch>(
        launches.nodes, std::move(p), cancels_, testing::none_failed, nullptr,
        launch_devices{{&session_}, [this](const std::string& text) { told.push_back(text); }});
    all->take_part(team, [] { return false; });
    EXPECT_TRUE(all->finished());
    return all;
  }
  std::int64_t kernels() const { return session_.launches; }
  double uploaded() const { return session_.uploaded_bytes; }

  std::vector<std::string> told;

 private:
  chunk_loop::device_session session_;
  const threads::cancel_count cancels_{0};
};

/// Runs random launches. Returns how many kernels ran for them.
std::int64_t run_random_launches(const std::string& specification, std::uint64_t first,
                                 std::uint64_t count, bool reducing) {
  const auto team = threads::make_team(3);
  std::int64_t kernels = 0;
  for (auto seed = first; seed < first + count; ++seed) {
    std::optional<one_device> made;
    try {
      made.emplace(fmt::format("seed={}+{}", seed, specification));
    } catch (const devices::device_error&) {  // at its first call
      continue;
    }
    auto& device = *made;
    std::mt19937_64 random(seed);
    const auto launches = seed % 3 == 0 ? testing::random_stencils(random)
                                        : testing::random_launches(random, reducing);
    if (launches.nodes.empty()) continue;
    const auto expected = testing::in_sequence(launches);
    auto p = launches.planned(static_cast<std::int64_t>(random() % 40), random() % 2 == 0,
                              device.machine());
    const auto text = p.print();
    device.run(launches, std::move(p), *team);
    EXPECT_EQ(testing::elements_of(launches), expected) << "seed " << seed << "\n" << text;
    if (::testing::Test::HasFailure()) return 0;
    kernels += device.kernels();
  }
  return kernels;
}

TEST(launches_on_devices, do_what_they_do_on_the_host) {
  EXPECT_GT(run_random_launches("delay_us=0", 0, 200, false), 1000);
  EXPECT_GT(run_random_launches("delay_us=20+like=gpu", 1000, 40, false), 200);
}

TEST(launches_on_devices, reduce_what_they_reduce_on_the_host) {
  EXPECT_GT(run_random_launches("delay_us=0", 0, 60, true), 100);
}

TEST(launches_on_devices, go_on_where_devices_fail) {
  run_random_launches("delay_us=0+oom=0.05", 2000, 60, false);
  run_random_launches("delay_us=0+launch=0.05+build=0.1", 3000, 60, false);
  run_random_launches("delay_us=0+lost=0.02", 4000, 60, true);
  run_random_launches("delay_us=0+oom=0.02+launch=0.02+lost=0.01", 5000, 400, true);
}

TEST(launches_on_devices, see_only_what_they_say_that_they_touch) {
  constexpr std::uint32_t poison = 0xa5a5a5a5;
  const auto a = testing::numbered_array({100}), b = testing::numbered_array({100});
  launch_list launches;
  auto& launch = launches.add(regions::box({10}, {20}), {a, b},
                              "a, b: global i => read a[i], read a[i+4], write b[i]");
  launch.loop = [](const void* function, const detail::launch_args& args) {
    const auto& by = *static_cast<const arrays::launch*>(function);
    for (auto i = args.indices.low[0]; i < args.indices.high[0]; ++i)
      *testing::element(by, 1, args.views, {i}) = *testing::element(by, 0, args.views, {i + 2});
  };
  one_device device("delay_us=0");
  const auto team = threads::make_team(1);
  device.run(launches, launches.planned(1, false, device.machine()), *team);
  for (std::int64_t i = 10; i < 20; ++i)
    EXPECT_EQ(*testing::element(launch.arguments[1], {i}), poison);
  EXPECT_EQ(*testing::element(launch.arguments[1], {9}), 9U);
  EXPECT_EQ(*testing::element(launch.arguments[1], {20}), 20U);
}

TEST(launches_on_devices, send_no_more_than_they_read) {
  const auto a = testing::numbered_array({1000, 8}), b = testing::numbered_array({1000});
  launch_list launches;
  launches.add(b->all, {a, b}, "a, b: global i => read a[i,2:3], write b[i]");
  one_device device("delay_us=0");
  const auto team = threads::make_team(2);
  device.run(launches, launches.planned(100, false, device.machine()), *team);
  EXPECT_EQ(device.uploaded(), 1000 * 2 * sizeof(std::uint32_t));
}

TEST(launches_on_devices, pass_in_smaller_parts_where_memory_is_short) {
  const auto a = testing::numbered_array({100'000}), b = testing::numbered_array({100'000});
  launch_list launches;
  launches.add(a->all, {a, b}, "a, b: global i => read a[i-1:i+1], write b[i]");
  const auto expected = testing::in_sequence(launches);
  one_device device("delay_us=0+memory=64KiB");
  const auto team = threads::make_team(2);
  device.run(launches, launches.planned(100'000, false, device.machine()), *team);
  EXPECT_EQ(testing::elements_of(launches), expected);
  EXPECT_GT(device.kernels(), 8);
  EXPECT_THAT(device.told, ElementsAre());
}

/// Adds 1 to each element, and throws at 70 as often as it gets there.
void counting_loop(const void* function, const detail::launch_args& args) {
  const auto& by = *static_cast<const arrays::launch*>(function);
  for (auto i = args.indices.low[0]; i < args.indices.high[0]; ++i) {
    if (i == 70) throw std::runtime_error("seventy");
    ++*testing::element(by, 0, args.views, {i});
  }
}

TEST(launches_on_devices, fail_with_what_their_functions_throw) {
  const auto a = testing::numbered_array({100});
  launch_list launches;
  auto& launch = launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  launch.loop = counting_loop;
  one_device device("delay_us=0");
  const auto team = threads::make_team(1);
  const auto all = device.run(launches, launches.planned(10, false, device.machine()), *team);
  const auto why = all->failure(0);
  ASSERT_NE(why, nullptr);
  EXPECT_THAT(why->what, HasSubstr("seventy"));
  EXPECT_THAT(device.told, ElementsAre());
  // What ran there is here once.
  for (std::int64_t i = 0; i < 70; ++i)
    EXPECT_EQ(*testing::element(launch.arguments[0], {i}), static_cast<std::uint32_t>(i + 1));
}

TEST(launches_on_devices, tell_once_that_they_moved) {
  const auto a = testing::numbered_array({1000});
  launch_list launches;
  launches.add(a->all, {a}, "a: global i => readwrite a[i]");
  const auto expected = testing::in_sequence(launches);
  const auto team = threads::make_team(2);
  for (const auto& [fault, words] :
       {std::pair{"build=1", "its compiler refused"}, std::pair{"launch=1", "an operation failed"},
        std::pair{"at=6/lost", "the device was lost"}, std::pair{"oom=1", "out of memory"}}) {
    const auto start = testing::elements_of(launches);
    one_device device(fmt::format("delay_us=0+{}", fault));
    device.run(launches, launches.planned(100, false, device.machine()), *team);
    EXPECT_EQ(testing::elements_of(launches), expected);
    ASSERT_EQ(device.told.size(), 1U) << fault;
    EXPECT_THAT(device.told[0], HasSubstr("for_each at test.cpp:1: test:"));
    EXPECT_THAT(device.told[0], HasSubstr(words));
    EXPECT_THAT(device.told[0], HasSubstr("so the launch moved to the CPU"));
    testing::set_elements(launches, start);
  }
}

}  // namespace
}  // namespace pappus::run
