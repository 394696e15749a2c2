// Prefix sums, sorts, gathers and segments on the test device, on every OpenCL device found, and on
// the first of these treated as if it weren't like a CPU, so that texts for GPUs run too.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "chunk_loop/blocks.h"
#include "device_ops/algorithms/primitives.h"
#include "device_ops/stage_runner.h"
#include "devices/registry.h"

namespace pappus::device_ops {
namespace {

using memory::device_buffer_ptr;

class primitives : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    const bool like_gpu = name.ends_with(" as if GPU");
    const auto real = open(name.substr(0, name.find(' ')));
    if (!real) GTEST_SKIP() << "there is no device " << name;
    lock_ = std::unique_lock(real->lock);
    attached_ = real;
    if (like_gpu)
      attached_ =
          std::make_shared<devices::attached>(std::make_unique<testing::as_if_gpu>(*real->driver));
    session_ = std::make_unique<device_session>(
        attached_, 0, std::make_shared<memory::pool>(std::size_t{1} << 30));
  }

  static devices::attached_ptr open(const std::string& name) {
    if (name.starts_with("test")) return devices::select(name).devices.at(0);
    for (const auto& found : devices::all_devices())
      if (found->about().name == name) return found;
    return nullptr;
  }

  device_session& on() { return *session_; }
  void TearDown() override {
    if (session_) session_->kernels().finish();
  }

  template <typename T>
  device_buffer_ptr upload(const std::vector<T>& values, std::size_t more = 0) {
    auto block = on().memory().acquire((values.size() + more + 1) * sizeof(T), "test");
    on().kernels().wait(
        on().kernels().write(*block->memory, 0, values.data(), values.size() * sizeof(T)));
    return block;
  }
  template <typename T>
  std::vector<T> download(const device_buffer_ptr& block, std::size_t n) {
    std::vector<T> values(n);
    on().kernels().wait(on().kernels().read(*block->memory, 0, values.data(), n * sizeof(T)));
    return values;
  }
  std::mt19937_64 numbers(std::uint64_t seed) {
    RecordProperty("seed", std::to_string(seed));
    std::cout << "seed " << seed << '\n';
    return std::mt19937_64(seed);
  }

  template <typename Key>
  void expect_sorted(const std::vector<Key>& keys) {
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    std::vector<Key> ascending;
    for (const auto row : order) ascending.push_back(keys[row]);

    const auto n = static_cast<std::int64_t>(keys.size());
    kept_buffers kept;
    auto block = upload(keys);
    auto rows = upload(std::vector<std::uint32_t>(keys.size()));
    number_rows(on(), *rows->memory, n);
    radix_sort(on(), block, rows, n, sizeof(Key), "test", kept);
    ASSERT_TRUE(download<Key>(block, keys.size()) == ascending);
    ASSERT_TRUE(download<std::uint32_t>(rows, keys.size()) == order);

    auto alone = upload(keys);
    device_buffer_ptr no_rows;
    radix_sort(on(), alone, no_rows, n, sizeof(Key), "test", kept);
    ASSERT_TRUE(download<Key>(alone, keys.size()) == ascending);
    EXPECT_EQ(no_rows, nullptr);
    on().kernels().finish();
  }

  devices::attached_ptr attached_;
  std::unique_lock<std::recursive_mutex> lock_;
  std::unique_ptr<device_session> session_;
};

INSTANTIATE_TEST_SUITE_P(devices, primitives,
                         ::testing::Values("test:seed=1", "test:seed=2+like=gpu", "opencl:0",
                                           "opencl:1", "opencl:2", "opencl:0 as if GPU"),
                         [](const auto& chosen) {
                           std::string name = chosen.param;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

constexpr std::size_t sizes[] = {0, 1, 2, 3, 255, 257, 1001, 4095, 4096, 4097, 65537};

// Keys of every kind that an order or a distribution could trouble.
template <typename Key>
std::vector<std::vector<Key>> key_patterns(std::size_t n, std::mt19937_64& random) {
  std::vector<Key> all_equal(n, static_cast<Key>(0x8123456789abcdefu)), wild(n), few(n), nearly(n);
  for (auto& key : wild) key = static_cast<Key>(random());
  for (auto& key : few) key = static_cast<Key>(random() % 5 * 0x0101010101010101u);
  std::iota(nearly.begin(), nearly.end(), Key{1000});
  if (n > 2) std::swap(nearly[n / 2], nearly[n / 3]);
  auto ascending = wild, descending = wild;
  std::sort(ascending.begin(), ascending.end());
  std::sort(descending.begin(), descending.end(), std::greater<>());
  return {all_equal, wild, few, nearly, ascending, descending};
}

TEST_P(primitives, sort_keys_of_4_bytes_as_a_stable_sort_does) {
  auto random = numbers(11);
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    for (const auto& keys : key_patterns<std::uint32_t>(n, random)) expect_sorted(keys);
  }
}

TEST_P(primitives, sort_keys_of_8_bytes_as_a_stable_sort_does) {
  auto random = numbers(12);
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    for (const auto& keys : key_patterns<std::uint64_t>(n, random)) expect_sorted(keys);
  }
}

TEST_P(primitives, sort_a_million_keys) {
  auto random = numbers(13);
  std::vector<std::uint32_t> keys(1000000);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random() % 250000);
  expect_sorted(keys);
}

TEST_P(primitives, sort_by_each_digit_and_by_bits_between_digits) {
  auto random = numbers(14);
  std::vector<std::uint64_t> keys(3001);
  for (int shift = 0; shift <= 56; shift += 4) {
    SCOPED_TRACE(shift);
    for (auto& key : keys)
      key = (random() % 256) << shift | (0x5500000000000055u & ~(std::uint64_t{0xff} << shift));
    expect_sorted(keys);
  }
}

TEST_P(primitives, sort_makes_passes_only_over_bits_that_differ) {
  std::vector<std::uint64_t> keys(2000);
  const auto launches = [&] {
    auto block = upload(keys);
    device_buffer_ptr none;
    kept_buffers kept;
    const std::int64_t before = on().launches;
    radix_sort(on(), block, none, 2000, 8, "test", kept);
    on().kernels().finish();
    return on().launches - before;
  };
  const auto look = launches();
  EXPECT_EQ(look, 1);  // all keys are equal
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 0xff00 | (i * 7 % 64) << 30;
  const auto one_pass = launches() - look;
  EXPECT_GT(one_pass, 1);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] |= (i % 3) << 5 | (i % 2) << 63;
  EXPECT_EQ(launches() - look, 3 * one_pass);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(launches(), look);
}

TEST_P(primitives, scan_integers_and_tell_their_sum) {
  auto random = numbers(15);
  const auto expect_scanned = [&]<typename T>(std::vector<T> values) {
    auto block = upload(values, 2);
    kept_buffers kept;
    exclusive_scan(on(), *block->memory, static_cast<std::int64_t>(values.size()), sizeof(T),
                   "test", kept);
    values.push_back(0);
    std::exclusive_scan(values.begin(), values.end(), values.begin(), T{0});
    ASSERT_TRUE(download<T>(block, values.size()) == values);
    on().kernels().finish();
  };
  for (const std::size_t n : {0u, 1u, 2u, 255u, 1023u, 4097u, 16385u, 100003u}) {
    SCOPED_TRACE(n);
    std::vector<std::uint32_t> narrow(n);
    for (auto& value : narrow) value = static_cast<std::uint32_t>(random());  // sums wrap
    expect_scanned(narrow);
    std::vector<std::uint64_t> wide(n);
    for (auto& value : wide) value = random() >> 20;
    expect_scanned(wide);
  }
}

TEST_P(primitives, gather_records_of_any_size) {
  auto random = numbers(16);
  for (const std::size_t bytes : {1u, 2u, 3u, 4u, 6u, 7u, 8u, 12u, 16u, 24u, 36u, 80u}) {
    SCOPED_TRACE(bytes);
    const std::size_t records = 5000, n = 7001;
    std::vector<std::uint8_t> from(records * bytes), expected;
    for (auto& byte : from) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint32_t> rows(n);
    for (auto& row : rows) row = static_cast<std::uint32_t>(random() % records);
    for (const auto row : rows)
      expected.insert(expected.end(), from.begin() + static_cast<std::ptrdiff_t>(row * bytes),
                      from.begin() + static_cast<std::ptrdiff_t>((row + 1) * bytes));
    const auto source = upload(from), wanted = upload(rows);
    const auto to = upload(std::vector<std::uint8_t>(n * bytes));
    gather(on(), *source->memory, bytes, *wanted->memory, static_cast<std::int64_t>(n),
           *to->memory);
    ASSERT_TRUE(download<std::uint8_t>(to, n * bytes) == expected);
  }
}

TEST_P(primitives, find_where_runs_of_equal_keys_begin) {
  auto random = numbers(17);
  const auto expect_found = [&]<typename Key>(std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    std::vector<std::uint32_t> starts;
    std::vector<Key> unique;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys[i] == keys[i - 1]) continue;
      starts.push_back(static_cast<std::uint32_t>(i));
      unique.push_back(keys[i]);
    }
    starts.push_back(static_cast<std::uint32_t>(keys.size()));
    kept_buffers kept;
    const auto block = upload(keys);
    const auto found = find_segments(on(), *block->memory, static_cast<std::int64_t>(keys.size()),
                                     sizeof(Key), "test", kept);
    ASSERT_EQ(found.count, static_cast<std::int64_t>(unique.size()));
    ASSERT_TRUE(download<std::uint32_t>(found.starts, starts.size()) == starts);
    ASSERT_TRUE(download<Key>(found.keys, unique.size()) == unique);
  };
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    for (const auto& keys : key_patterns<std::uint32_t>(n, random)) expect_found(keys);
    for (const auto& keys : key_patterns<std::uint64_t>(n, random)) expect_found(keys);
  }
}

TEST_P(primitives, cut_long_runs_of_equal_keys) {
  if (has_item_blocks(on())) GTEST_SKIP() << "blocks of rows are a work-item's";
  constexpr std::uint32_t cut = 64;
  auto random = numbers(18);
  for (const std::size_t n : sizes)
    for (auto keys : key_patterns<std::uint64_t>(n, random)) {
      SCOPED_TRACE(n);
      std::sort(keys.begin(), keys.end());
      std::vector<std::uint32_t> starts;
      std::vector<std::uint64_t> of_runs;
      for (std::size_t i = 0; i < n; ++i) {
        if (i > 0 && keys[i] == keys[i - 1] && (i % cut != 0 || keys[i] != keys[i - cut])) continue;
        starts.push_back(static_cast<std::uint32_t>(i));
        of_runs.push_back(keys[i]);
      }
      starts.push_back(static_cast<std::uint32_t>(n));
      kept_buffers kept;
      const auto block = upload(keys);
      const auto found = find_segments(on(), *block->memory, static_cast<std::int64_t>(n),
                                       sizeof keys[0], "test", kept, cut);
      ASSERT_EQ(found.count, static_cast<std::int64_t>(of_runs.size()));
      ASSERT_TRUE(download<std::uint32_t>(found.starts, starts.size()) == starts);
      ASSERT_TRUE(download<std::uint64_t>(found.keys, of_runs.size()) == of_runs);
    }
}

TEST_P(primitives, name_the_caller_when_memory_runs_out) {
  device_session small(attached_, 1 << 20, std::make_shared<memory::pool>(std::size_t{1} << 30));
  auto keys = small.memory().acquire(600 << 10, "test");
  device_buffer_ptr none;
  kept_buffers kept;
  const std::vector<std::uint32_t> falling{2, 1};
  small.kernels().wait(small.kernels().fill(*keys->memory, 0, 600 << 10, 1));
  small.kernels().wait(small.kernels().write(*keys->memory, 0, falling.data(), 8));
  try {
    radix_sort(small, keys, none, 150 << 10, 4, "sort_by", kept);
    FAIL() << "expected too little memory";
  } catch (const devices::device_error& e) {
    EXPECT_EQ(e.what_failed, devices::fault::out_of_memory);
    EXPECT_NE(std::string(e.what()).find("sort_by"), std::string::npos) << e.what();
  }
  small.kernels().finish();
}

}  // namespace
}  // namespace pappus::device_ops
