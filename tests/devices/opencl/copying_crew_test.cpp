#include "devices/opencl/copying_crew.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::devices::opencl {
namespace {

std::vector<unsigned> some_values(std::size_t bytes, unsigned first) {
  std::vector<unsigned> values(bytes / sizeof(unsigned) + 2);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// At an odd address, with bytes before and behind that must stay.
void expect_copies(copying_crew& crew, std::size_t bytes, unsigned first) {
  const auto values = some_values(bytes, first);
  const auto* const from = reinterpret_cast<const std::byte*>(values.data()) + 3;
  std::vector<std::byte> to(bytes + 2, std::byte{0xaa});
  crew.copy(to.data() + 1, from, bytes);
  ASSERT_EQ(to.front(), std::byte{0xaa}) << bytes;
  ASSERT_EQ(to.back(), std::byte{0xaa}) << bytes;
  ASSERT_TRUE(std::equal(to.begin() + 1, to.end() - 1, from)) << bytes;
}

constexpr std::size_t copy_sizes[] = {
    0, 1, 1000, (256 << 10) - 1, 256 << 10, 300'001, (1 << 20) + 5, 4 << 20, 5'000'000};

TEST(copying_crew, copies_any_number_of_bytes_with_any_number_of_threads) {
  for (const unsigned threads : {0u, 1u, 2u, 4u, 9u}) {
    copying_crew crew(threads);
    for (const auto bytes : copy_sizes) expect_copies(crew, bytes, threads);
  }
}

TEST(copying_crew, copies_again_and_again) {
  copying_crew crew(4);
  for (unsigned round = 0; round < 300; ++round) expect_copies(crew, 300'000 + 1000 * round, round);
}

TEST(copying_crew, serves_one_thread_after_another) {
  copying_crew crew(3);
  for (unsigned i = 0; i < 10; ++i) std::thread([&] { expect_copies(crew, 1'000'000, i); }).join();
}

TEST(copying_crew, need_not_have_copied_anything) {
  for (int i = 0; i < 50; ++i) {
    copying_crew crew(4);
    if (i % 2 == 0) expect_copies(crew, 600'000, 1);
  }
}

TEST(copying_crew, of_several_devices_work_side_by_side) {
  std::vector<std::thread> devices;
  for (unsigned i = 0; i < 3; ++i)
    devices.emplace_back([i] {
      copying_crew crew(3);
      for (unsigned round = 0; round < 20; ++round) expect_copies(crew, 1'500'000, 100 * i + round);
    });
  for (auto& device : devices) device.join();
}

}  // namespace
}  // namespace pappus::devices::opencl
