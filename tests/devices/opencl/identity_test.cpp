// Which devices count as one, told from what drivers say of them.
#include "devices/opencl/identity.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pappus::devices::opencl {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

const auto itself = std::nullopt;

identity gpu(std::size_t platform, const std::string& name, const std::string& pci = {},
             const std::string& uuid = {}) {
  identity owner;
  owner.platform = platform;
  owner.platform_version = 120;
  owner.vendor = 0x10de;
  owner.name = name;
  owner.kind = 4;
  owner.memory_bytes = std::uint64_t{8} << 30;
  owner.pci = pci;
  owner.uuid = uuid;
  return owner;
}

identity processor(std::size_t platform, const std::string& name) {
  identity owner = gpu(platform, name);
  owner.kind = 2;
  owner.cpu = true;
  return owner;
}

TEST(used_instead, keeps_devices_of_one_platform_apart_however_alike) {
  EXPECT_THAT(used_instead(std::vector{gpu(0, "A100"), gpu(0, "A100"), gpu(0, "A100")}),
              ElementsAre(itself, itself, itself));
  EXPECT_THAT(used_instead(std::vector{processor(0, "basic"), processor(0, "basic")}),
              ElementsAre(itself, itself));
}

TEST(used_instead, recognises_a_place_on_the_bus_under_any_name) {
  EXPECT_THAT(used_instead(std::vector{gpu(0, "NVIDIA A100", "0:1:0.0"), gpu(1, "GA100", "0:1:0.0"),
                                       gpu(1, "GA100", "0:2:0.0")}),
              ElementsAre(itself, Optional(std::size_t{0}), itself));
}

TEST(used_instead, keeps_devices_in_different_places_apart_under_one_name) {
  EXPECT_THAT(used_instead(std::vector{gpu(0, "A100", "0:1:0.0"), gpu(1, "A100", "0:2:0.0")}),
              ElementsAre(itself, itself));
}

TEST(used_instead, recognises_an_uuid_where_a_place_is_unknown) {
  EXPECT_THAT(used_instead(std::vector{gpu(0, "NVIDIA A100", "0:1:0.0", "abcd"),
                                       gpu(1, "GA100", "", "abcd")}),
              ElementsAre(itself, Optional(std::size_t{0})));
}

TEST(used_instead, goes_by_vendor_name_kind_and_memory_where_nothing_better_is_known) {
  EXPECT_THAT(used_instead(std::vector{gpu(0, "A100"), gpu(1, "A100"), gpu(1, "A30")}),
              ElementsAre(itself, Optional(std::size_t{0}), itself));
  auto smaller = gpu(1, "A100");
  smaller.memory_bytes /= 2;
  EXPECT_THAT(used_instead(std::vector{gpu(0, "A100"), smaller}), ElementsAre(itself, itself));
}

TEST(used_instead, pairs_two_identical_cards_of_two_platforms_one_to_one) {
  EXPECT_THAT(
      used_instead(std::vector{gpu(0, "A100"), gpu(0, "A100"), gpu(1, "A100"), gpu(1, "A100")}),
      ElementsAre(itself, itself, Optional(std::size_t{0}), Optional(std::size_t{1})));
}

TEST(used_instead, prefers_the_newer_platform) {
  auto newer = gpu(1, "A100");
  newer.platform_version = 300;
  EXPECT_THAT(used_instead(std::vector{gpu(0, "A100"), newer}),
              ElementsAre(Optional(std::size_t{1}), itself));
}

TEST(used_instead, takes_processors_of_two_platforms_for_the_same_cores) {
  EXPECT_THAT(used_instead(std::vector{processor(0, "pthread-skylake"), processor(1, "Xeon"),
                                       gpu(1, "A100")}),
              ElementsAre(itself, Optional(std::size_t{0}), itself));
}

}  // namespace
}  // namespace pappus::devices::opencl
