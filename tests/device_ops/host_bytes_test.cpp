#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "device_ops/host/host_stage.h"

namespace pappus::device_ops::on_host {
namespace {

// ASan sees a byte too many. Allocations of several sizes begin at any multiple of 16.
TEST(host_bytes, have_room_for_all_bytes_behind_their_alignment) {
  for (std::size_t n = 1; n < 70'000; n += 101) {
    host_bytes bytes;
    std::byte* const data = bytes.resize(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
    std::memset(data, 1, n);
    EXPECT_EQ(bytes.data(), data);
    EXPECT_EQ(bytes.data()[n - 1], std::byte{1});
  }
}

}  // namespace
}  // namespace pappus::device_ops::on_host
