// Lists of devices by name, as PAPPUS_DEVICES gives them.
#include "devices/registry.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/error.h"

namespace pappus::devices {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const char* list) {
  try {
    select(list);
  } catch (const usage_error& e) {
    return e.what();
  }
  ADD_FAILURE() << '"' << list << "\" was accepted";
  return {};
}

bool is_hosts_own(const attached_ptr& d) { return d->about().like_cpu && d->about().host_memory; }

TEST(select_devices, leaves_out_the_hosts_own_cores_unless_named) {
  const selection usual = select("");
  EXPECT_TRUE(usual.cpu);
  for (const auto& d : usual.devices) EXPECT_FALSE(is_hosts_own(d)) << d->about().name;
  for (const auto& d : all_devices()) {
    if (!is_hosts_own(d)) continue;
    EXPECT_THAT(usual.notes, ::testing::Contains(HasSubstr(d->about().name + " ")));
    EXPECT_EQ(select(d->about().name).devices, std::vector{d});
  }
}

TEST(select_devices, opens_a_device_once) {
  EXPECT_EQ(all_devices(), all_devices());
  for (const auto& d : all_devices()) {
    const std::string name = d->about().name;
    EXPECT_EQ(select(name + "," + name).devices, std::vector{d});
    EXPECT_EQ(select("opencl," + name).devices.size(), all_devices().size());
  }
}

TEST(select_devices, takes_all_of_a_kind) {
  if (all_devices().empty()) GTEST_SKIP() << "there is no OpenCL device";
  const selection chosen = select("opencl");
  EXPECT_FALSE(chosen.cpu);
  EXPECT_EQ(chosen.devices, all_devices());
}

TEST(select_devices, keeps_the_order_of_the_list) {
  const auto all = all_devices();
  if (all.size() < 2) GTEST_SKIP() << "there are no two OpenCL devices";
  EXPECT_EQ(select(" opencl:1 , opencl:0").devices, (std::vector{all[1], all[0]}));
}

TEST(select_devices, takes_the_cpu_alone_or_beside_others) {
  EXPECT_TRUE(select("cpu").cpu);
  EXPECT_TRUE(select("cpu").devices.empty());
  EXPECT_TRUE(select("test:seed=1,cpu").cpu);
  EXPECT_FALSE(select("test:seed=1").cpu);
}

TEST(select_devices, opens_a_test_device_for_each_mention) {
  const selection chosen = select("test:seed=1,test:seed=1");
  ASSERT_EQ(chosen.devices.size(), 2u);
  EXPECT_NE(chosen.devices[0], chosen.devices[1]);
  EXPECT_NE(chosen.devices[0]->number, chosen.devices[1]->number);
}

TEST(select_devices, refuses_names_of_nothing_and_lists_what_is_there) {
  EXPECT_THAT(refusal("gpu"), AllOf(HasSubstr("devices \"gpu\": expected cpu, opencl"),
                                    HasSubstr("got \"gpu\"; there are cpu")));
  EXPECT_THAT(refusal("cpu,,cpu"), HasSubstr("got \"\""));
  EXPECT_THAT(refusal("cpu,"), HasSubstr("got \"\""));
  EXPECT_THAT(refusal("opencl:99"), HasSubstr("no device is named \"opencl:99\""));
  EXPECT_THAT(refusal("opencl:"), HasSubstr("no device is named \"opencl:\""));
  for (const auto& d : all_devices())
    EXPECT_THAT(refusal("gpu"), HasSubstr(d->about().name + " (" + d->about().model));
}

}  // namespace
}  // namespace pappus::devices
