#include "algorithms/partition.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "memory/pool.h"
#include "pappus/detail/base/parallel.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

using testing::test_memory;
using testing::test_workers;

template <typename Key>
std::vector<Key> random_keys(std::size_t n, std::uint64_t seed, std::uint64_t below) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  for (auto& key : keys) {
    const std::uint64_t value = random() % below;
    if constexpr (sizeof(Key) == 16) {
      key = {value, value / 3};
    } else {
      key = static_cast<Key>(value);
    }
  }
  return keys;
}

std::vector<std::byte> numbered(std::size_t n, std::size_t bytes) {
  std::vector<std::byte> payload(n * bytes);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<std::byte>(i / std::max<std::size_t>(bytes, 1) >> (i % 3 * 8));
  }
  return payload;
}

// A partition's rows, one after the other.
struct part_contents {
  std::vector<std::byte> keys, payload;
  bool operator==(const part_contents&) const = default;
};

template <typename Key>
std::vector<part_contents> partition_here(const std::vector<Key>& keys, std::size_t payload_bytes,
                                          unsigned ranges, unsigned partitions,
                                          const partition_function& function, unsigned workers,
                                          std::size_t batch, test_memory& memory,
                                          std::size_t expected_rows) {
  test_workers team(workers);
  block_partition parts(memory, ranges, partitions, sizeof(Key), payload_bytes, expected_rows,
                        "join");
  const auto payload = numbered(keys.size(), payload_bytes);
  const auto* bytes = reinterpret_cast<const std::byte*>(keys.data());
  detail::parallel_chunks(team, ranges, [&](std::size_t range, unsigned) {
    const std::size_t end = keys.size() * (range + 1) / ranges;
    for (std::size_t row = keys.size() * range / ranges; row < end; row += batch) {
      parts.append(static_cast<unsigned>(range), bytes + row * sizeof(Key),
                   payload.data() + row * payload_bytes, std::min(batch, end - row), function);
    }
    parts.close(static_cast<unsigned>(range));
  });
  std::vector<part_contents> result(partitions);
  for (unsigned p = 0; p < partitions; ++p) {
    std::size_t rows_seen = 0;
    parts.for_each(p, [&](const block_partition::rows& rows) {
      result[p].keys.insert(result[p].keys.end(), rows.keys, rows.keys + rows.n * sizeof(Key));
      result[p].payload.insert(result[p].payload.end(), rows.payload,
                               rows.payload + rows.n * payload_bytes);
      rows_seen += rows.n;
    });
    EXPECT_EQ(parts.size(p), rows_seen);
  }
  return result;
}

template <typename Key, typename Choose>
std::vector<part_contents> partition_by_reference(const std::vector<Key>& keys,
                                                  std::size_t payload_bytes, unsigned partitions,
                                                  Choose&& choose) {
  std::vector<part_contents> result(partitions);
  const auto payload = numbered(keys.size(), payload_bytes);
  for (std::size_t row = 0; row < keys.size(); ++row) {
    part_contents& to = result[choose(keys[row])];
    const auto* key = reinterpret_cast<const std::byte*>(&keys[row]);
    to.keys.insert(to.keys.end(), key, key + sizeof(Key));
    const auto* bytes = payload.data() + row * payload_bytes;
    to.payload.insert(to.payload.end(), bytes, bytes + payload_bytes);
  }
  return result;
}

template <typename Key>
class block_partition_keys : public ::testing::Test {};
using key_types = ::testing::Types<std::uint32_t, std::uint64_t, bits128>;
TYPED_TEST_SUITE(block_partition_keys, key_types);

TYPED_TEST(block_partition_keys, keeps_rows_in_input_order_within_each_partition_by_hash) {
  for (std::size_t n : {0, 1, 2, 3, 255, 256, 257, 4095, 4096, 4097, 100'000}) {
    for (std::size_t payload_bytes : {0, 1, 4, 8, 12, 16, 100}) {
      SCOPED_TRACE("seed 1, n " + std::to_string(n) + ", payload " + std::to_string(payload_bytes));
      if (n * payload_bytes > 2'000'000) continue;
      const auto keys = random_keys<TypeParam>(n, 1, 1'000'000);
      test_memory memory;
      const bool same = partition_here(keys, payload_bytes, 3, 64, partition_function::by_hash(6),
                                       2, 300, memory, n) ==
                        partition_by_reference(keys, payload_bytes, 64,
                                               [](const auto& key) { return hash(key) >> 58; });
      ASSERT_TRUE(same);
      EXPECT_EQ(memory.used_bytes(), 0u);
    }
  }
}

TEST(block_partition, splits_by_value_and_puts_what_lies_beyond_into_the_last) {
  const auto keys = random_keys<std::uint64_t>(20'000, 2, 2'000);
  test_memory memory;
  const bool same =
      partition_here(keys, 4, 2, 7, partition_function::by_value({0, 0}, 8), 2, 512, memory,
                     keys.size()) == partition_by_reference(keys, 4, 7, [](std::uint64_t key) {
        return std::min<std::uint64_t>(key >> 8, 6);
      });
  EXPECT_TRUE(same) << "seed 2";
}

TEST(block_partition, has_buffers_in_which_a_loop_finds_room_for_aligned_values) {
  using detail::partition_buffers;
  memory::pool memory(std::size_t{1} << 30);  // whose buffers are aligned to a page
  for (const std::size_t key_bytes : {4, 8, 16})
    for (const std::size_t alignment : {1, 4, 16, 64, 128, 256, 4096})
      for (const std::size_t value_bytes : {alignment, 3 * alignment}) {
        SCOPED_TRACE(::testing::Message() << key_bytes << ", " << value_bytes);
        block_partition parts(memory, 1, 64, key_bytes, value_bytes, 1000, "group_by");
        const auto first = reinterpret_cast<std::uintptr_t>(parts.buffers(0, 58).buffers);
        const std::size_t bytes = partition_buffers::bytes(key_bytes, value_bytes);
        const std::size_t values_at = partition_buffers::values_at(key_bytes, value_bytes);
        for (std::size_t p = 0; p < 64; ++p) {
          EXPECT_EQ((first + p * bytes) % key_bytes, 0u);
          EXPECT_EQ((first + p * bytes + values_at) % alignment, 0u);
        }
        EXPECT_GE(values_at, partition_buffers::group_rows * key_bytes);
        EXPECT_GE(bytes, values_at + partition_buffers::group_rows * value_bytes);
      }
}

TEST(block_partition, takes_rows_that_a_loop_puts_into_its_buffers_in_turn_with_others) {
  constexpr std::size_t stretch = 100;
  const auto function = partition_function::by_spread(6);
  for (const std::size_t n : {0, 1, 15, 16, 17, 99, 101, 5'000, 100'000}) {
    for (const std::size_t expected_rows : {n, std::size_t{10'000'000}}) {  // past the caches
      SCOPED_TRACE(n);
      const auto keys = random_keys<std::uint32_t>(n, 5, 10'000);
      const auto payload = numbered(n, 8);
      test_memory memory;
      block_partition parts(memory, 1, 64, 4, 8, expected_rows, "group_by");
      for (std::size_t row = 0; row < n; row += stretch) {
        const std::size_t end = std::min(row + stretch, n);
        if (row / stretch % 2 == 0) {
          auto buffers = parts.buffers(0, function.shift());
          const detail::partition_writer<std::uint32_t, std::uint64_t> writer(buffers);
          for (std::size_t i = row; i < end; ++i)
            writer.put(
                static_cast<std::uint32_t>(detail::spread_hash::product(keys[i]) >> buffers.shift),
                keys[i], [&] { return load<std::uint64_t>(payload.data() + i * 8); });
        } else {
          parts.append(0, reinterpret_cast<const std::byte*>(keys.data() + row),
                       payload.data() + row * 8, end - row, function);
        }
      }
      parts.close(0);
      const auto expected = partition_by_reference(
          keys, 8, 64, [](std::uint32_t key) { return detail::spread_hash::product(key) >> 58; });
      for (unsigned p = 0; p < 64; ++p) {
        part_contents found;
        parts.for_each(p, [&](const block_partition::rows& rows) {
          found.keys.insert(found.keys.end(), rows.keys, rows.keys + rows.n * 4);
          found.payload.insert(found.payload.end(), rows.payload, rows.payload + rows.n * 8);
        });
        ASSERT_TRUE(found == expected[p]) << p;
      }
    }
  }
}

TEST(block_partition, takes_every_key_into_a_single_partition) {
  const auto keys = random_keys<std::uint32_t>(10'000, 3, 1'000);
  test_memory memory;
  const auto parts =
      partition_here(keys, 8, 4, 1, partition_function::by_hash(0), 2, 100, memory, keys.size());
  EXPECT_EQ(std::memcmp(parts[0].keys.data(), keys.data(), keys.size() * 4), 0) << "seed 3";
}

TEST(block_partition, gives_the_same_bytes_for_any_workers_ranges_and_batches) {
  const auto keys = random_keys<std::uint64_t>(50'000, 4, 1u << 30);
  test_memory memory;
  const auto run = [&](unsigned workers, unsigned ranges, std::size_t batch,
                       std::size_t expected_rows) {
    return partition_here(keys, 8, ranges, 128, partition_function::by_hash(7, 9), workers, batch,
                          memory, expected_rows);
  };
  const auto expected = run(1, 1, 50'000, 50'000);
  for (unsigned workers = 1; workers <= 8; ++workers) {
    const bool same = run(workers, 2 * workers, 37 * workers, 1'000'000'000 / workers) == expected;
    EXPECT_TRUE(same) << workers << " workers, seed 4";
  }
}

TEST(block_partition, streams_large_outputs_without_losing_rows) {
  const auto keys = random_keys<std::uint64_t>(1'200'000, 5, ~std::uint64_t{0});
  test_memory memory;
  const bool same =
      partition_here(keys, 8, 5, 256, partition_function::by_hash(8), 2, 512, memory,
                     keys.size()) ==
      partition_by_reference(keys, 8, 256, [](std::uint64_t key) { return hash(key) >> 56; });
  EXPECT_TRUE(same) << "seed 5";
}

TEST(block_partition, holds_little_more_memory_than_its_rows_need) {
  const auto keys = random_keys<std::uint64_t>(1'000'000, 6, ~std::uint64_t{0});
  test_memory memory;
  partition_here(keys, 8, 4, 64, partition_function::by_hash(6), 2, 512, memory, keys.size());
  EXPECT_LT(memory.peak_bytes(), keys.size() * 16 * 5 / 4) << "seed 6";
}

}  // namespace
}  // namespace pappus::algorithms
