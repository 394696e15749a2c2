// On which place each launch of a batch is to run, on machines that don't exist.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/launches.h"

namespace pappus::plan {
namespace {

using ::testing::HasSubstr;
using testing::launch_list;
using ::testing::Not;

cost::machine with_device(double gops, double memory_bytes = 1e9) {
  auto made = testing::made_up_machine();
  auto& device = made.devices.emplace_back();
  device.name = "test:0";
  device.memory_bytes = memory_bytes;
  device.gops_per_s = gops;
  return made;
}

/// A map over so many elements, of which each takes so much work.
class one_map {
 public:
  explicit one_map(std::int64_t n, double simple = 1) {
    const auto a = testing::planned_array({n}), b = testing::planned_array({n});
    launch_ = &launches_.add(a->all, {a, b}, "a, b: global i => read a[i], write b[i]");
    work_.terms.push_back({{}, {.simple = simple}});
  }

  plan planned(const cost::machine& on, const ops::answer& answer = {}) const {
    return plan_batch({.launches = launches_.nodes,
                       .machine = on,
                       .ask_work = [this](const auto&) -> const cost::row_work& { return work_; },
                       .ask_device = [&](const auto&, unsigned) { return answer; }});
  }
  arrays::launch& launch() { return *launch_; }

 private:
  launch_list launches_;
  arrays::launch* launch_;
  cost::row_work work_;
};

std::vector<unsigned> place_of(const plan& p) { return p.stages[0].where.devices; }
const std::vector<unsigned> cpu{}, device{0};

TEST(launch_places, are_where_launches_take_less_time) {
  const one_map much(1'000'000, 10'000), little(1'000'000);
  EXPECT_EQ(place_of(much.planned(with_device(1000))), device);
  EXPECT_EQ(place_of(much.planned(with_device(1))), cpu);
  EXPECT_EQ(place_of(little.planned(with_device(1000))), cpu) << "copies take longer";
  const auto text = much.planned(with_device(1000)).print();
  EXPECT_THAT(text, HasSubstr(", test:0, "));
  EXPECT_THAT(text, HasSubstr("on test:0, "));
  EXPECT_THAT(text, HasSubstr("; cpu would take "));
  EXPECT_THAT(text, HasSubstr("transfer "));
}

TEST(launch_places, are_devices_where_only_these_were_asked_for) {
  auto machine = with_device(1);
  machine.cpu = false;
  const one_map map(1000);
  const auto p = map.planned(machine);
  EXPECT_EQ(place_of(p), device);
  EXPECT_THAT(p.print(), HasSubstr("not on cpu: only devices were asked for"));
}

TEST(launch_places, are_the_cpu_where_devices_cannot) {
  auto machine = with_device(1000);
  machine.cpu = false;
  one_map map(1'000'000, 10'000);
  const auto refused = map.planned(machine, {.why_not = "it has no code"});
  EXPECT_EQ(place_of(refused), cpu);
  EXPECT_THAT(refused.print(), HasSubstr("on the CPU: it has no code"));

  const auto small = map.planned([&] {
    auto less = machine;
    less.devices[0].memory_bytes = 4096;
    return less;
  }());
  EXPECT_EQ(place_of(small), cpu);
  EXPECT_THAT(small.print(), HasSubstr("takes more than half of its memory (4 KiB)"));

  map.launch().known = arrays::launch::knowledge::assumed;
  const auto assumed = map.planned(machine);
  EXPECT_EQ(place_of(assumed), cpu);
  EXPECT_THAT(assumed.print(), HasSubstr("what it touches isn't known"));
}

TEST(launch_places, of_the_library_s_own_launches_are_the_cpu) {
  auto machine = with_device(1000);
  machine.cpu = false;
  one_map map(1'000'000, 10'000);
  map.launch().place.clear();
  const auto p = map.planned(machine);
  EXPECT_EQ(place_of(p), cpu);
  EXPECT_THAT(p.print(), Not(HasSubstr("test:0")));
}

}  // namespace
}  // namespace pappus::plan
