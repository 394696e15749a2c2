#include "algorithms/radix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "algorithms/key_bits.h"
#include "pappus/error.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

using testing::test_memory;
using testing::test_workers;

struct sorted_rows {
  std::vector<std::byte> keys, payload;
  bool operator==(const sorted_rows&) const = default;
};

// Row i's payload: bytes that tell i.
std::vector<std::byte> payload_of_rows(std::size_t n, std::size_t bytes) {
  std::vector<std::byte> payload(n * bytes);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < bytes; ++k) {
      payload[i * bytes + k] = static_cast<std::byte>(i >> (8 * (k % 4)));
    }
  }
  return payload;
}

template <typename Key>
sorted_rows sort_here(const std::vector<Key>& keys, std::size_t payload_bytes, unsigned workers) {
  const std::size_t n = keys.size();
  test_memory memory;
  sorted_rows result;
  {
    test_workers team(workers);
    detail::buffer k(memory, n * sizeof(Key) + 64, "test"), l(memory, n * sizeof(Key) + 64, "test");
    detail::buffer p(memory, n * payload_bytes + 64, "test"),
        q(memory, n * payload_bytes + 64, "test");
    const auto payload = payload_of_rows(n, payload_bytes);
    if (n != 0) std::memcpy(k.data(), keys.data(), n * sizeof(Key));
    if (!payload.empty()) std::memcpy(p.data(), payload.data(), payload.size());
    const auto where = radix_sort(team, memory, {k.data(), p.data(), l.data(), q.data()}, n,
                                  sizeof(Key), payload_bytes, "sort_by");
    const detail::buffer& sorted_keys = where == sorted_in::first ? k : l;
    const detail::buffer& sorted_payload = where == sorted_in::first ? p : q;
    result.keys.assign(sorted_keys.data(), sorted_keys.data() + n * sizeof(Key));
    result.payload.assign(sorted_payload.data(), sorted_payload.data() + n * payload_bytes);
  }
  EXPECT_EQ(memory.used_bytes(), 0u) << "scratch was not given back";
  return result;
}

template <typename Key>
sorted_rows sort_by_reference(const std::vector<Key>& keys, std::size_t payload_bytes) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return keys[a] == keys[b] ? a < b : keys[a] < keys[b];
  });
  const auto payload = payload_of_rows(keys.size(), payload_bytes);
  sorted_rows result;
  for (std::size_t row : order) {
    const auto* key = reinterpret_cast<const std::byte*>(&keys[row]);
    result.keys.insert(result.keys.end(), key, key + sizeof(Key));
    const auto* bytes = payload.data() + row * payload_bytes;
    result.payload.insert(result.payload.end(), bytes, bytes + payload_bytes);
  }
  return result;
}

template <typename Key>
Key make_key(std::uint64_t value, std::uint64_t other) {
  if constexpr (sizeof(Key) == 16) {
    return {other, value};
  } else {
    return static_cast<Key>(value);
  }
}

// The input shapes that a radix sort may stumble over.
template <typename Key>
std::vector<std::pair<std::string, std::vector<Key>>> inputs(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::pair<std::string, std::vector<Key>>> all;
  const auto add = [&](const char* name, const std::function<Key(std::size_t)>& key) {
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = key(i);
    all.emplace_back(name, std::move(keys));
  };
  add("uniform", [&](std::size_t) { return make_key<Key>(random(), random()); });
  add("all equal", [&](std::size_t) { return make_key<Key>(7, 7); });
  add("ascending", [&](std::size_t i) { return make_key<Key>(i / 3, i); });
  add("descending", [&](std::size_t i) { return make_key<Key>(n - i, n - i); });
  add("descending with ties", [&](std::size_t i) { return make_key<Key>((n - i) / 2, 0); });
  add("few distinct", [&](std::size_t) { return make_key<Key>(random() % 5 * 40000001, 1); });
  add("extremes", [&](std::size_t) { return make_key<Key>(random() % 2 * largest, largest); });
  add("one outlier", [&](std::size_t i) {
    return i == n / 2 ? make_key<Key>(largest, largest) : make_key<Key>(random() % 1000, 0);
  });
  add("clusters", [&](std::size_t) {  // distant, narrow, so that their low bits decide
    return make_key<Key>((random() % 3 << 30) + random() % 3000, random() % 4);
  });
  add("low half only", [&](std::size_t) { return make_key<Key>(3, random()); });
  return all;
}

template <typename Key>
void expect_sorts(std::size_t n, std::size_t payload_bytes, unsigned workers) {
  const std::uint64_t seed = 1000 + n;
  for (const auto& [name, keys] : inputs<Key>(n, seed)) {
    SCOPED_TRACE(name + ", n " + std::to_string(n) + ", key " + std::to_string(sizeof(Key)) +
                 ", payload " + std::to_string(payload_bytes) + ", seed " + std::to_string(seed));
    const bool same =
        sort_here(keys, payload_bytes, workers) == sort_by_reference(keys, payload_bytes);
    ASSERT_TRUE(same);
  }
}

template <typename Key>
class radix_sort_keys : public ::testing::Test {};
using key_types = ::testing::Types<std::uint32_t, std::uint64_t, bits128>;
TYPED_TEST_SUITE(radix_sort_keys, key_types);

TYPED_TEST(radix_sort_keys, sorts_every_shape_of_input_around_the_small_sizes) {
  for (std::size_t n : {0, 1, 2, 3, 24, 25, 255, 256, 257, 4095, 4096, 4097}) {
    for (std::size_t payload_bytes : {0, 4, 12}) expect_sorts<TypeParam>(n, payload_bytes, 2);
  }
}

TYPED_TEST(radix_sort_keys, moves_payloads_of_any_size_with_their_keys) {
  for (std::size_t payload_bytes : {0, 1, 4, 8, 12, 16, 100}) {
    expect_sorts<TypeParam>(5000, payload_bytes, 3);
  }
}

TYPED_TEST(radix_sort_keys, sorts_every_shape_of_input_in_parallel) {
  expect_sorts<TypeParam>(100'000, 4, 4);
}

TEST(radix_sort, gives_the_same_bytes_for_any_number_of_workers) {
  for (const auto& [name, keys] : inputs<std::uint64_t>(300'000, 5)) {
    SCOPED_TRACE(name + ", seed 5");
    const auto expected = sort_by_reference(keys, 8);
    for (unsigned workers : {1u, 2u, 3u, 5u, 8u}) {
      const bool same = sort_here(keys, 8, workers) == expected;
      EXPECT_TRUE(same) << workers << " workers";
    }
  }
}

TEST(radix_sort, keeps_ties_in_row_order_in_a_million_rows) {
  std::mt19937_64 random(11);
  std::vector<std::uint32_t> keys(1'000'000);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random() % 1000);
  const bool same = sort_here(keys, 4, 2) == sort_by_reference(keys, 4);
  EXPECT_TRUE(same) << "seed 11";
}

TEST(radix_sort, splits_a_bucket_that_holds_nearly_all_rows_again) {
  // All but one row share the digits of the first pass: more than what one worker takes alone.
  std::mt19937_64 random(12);
  std::vector<std::uint64_t> keys(1'300'000);
  for (auto& key : keys) key = random() % 1'000'000;
  keys[17] = ~std::uint64_t{0};
  const bool same = sort_here(keys, 0, 3) == sort_by_reference(keys, 0);
  EXPECT_TRUE(same) << "seed 12";
}

TEST(radix_sort, leaves_sorted_rows_where_they_are) {
  std::vector<std::uint64_t> keys(200'000), other(200'000);
  std::iota(keys.begin(), keys.end(), 0u);
  test_memory memory;
  test_workers team(2);
  detail::buffer k(memory, keys.size() * 8, "test"), l(memory, keys.size() * 8, "test");
  std::memcpy(k.data(), keys.data(), keys.size() * 8);
  EXPECT_EQ(radix_sort(team, memory, {k.data(), nullptr, l.data(), nullptr}, keys.size(), 8, 0,
                       "sort_by"),
            sorted_in::first);
}

TEST(radix_sort, says_which_operator_lacks_memory) {
  test_workers team(2);
  test_memory enough, little(1000);
  const std::size_t n = 100'000;
  detail::buffer k(enough, n * 4, "test"), l(enough, n * 4, "test");
  std::mt19937 random(3);
  for (std::size_t i = 0; i < n; ++i) k.as<std::uint32_t>()[i] = random();
  try {
    radix_sort(team, little, {k.data(), nullptr, l.data(), nullptr}, n, 4, 0, "sort_by");
    FAIL() << "expected a memory_error";
  } catch (const memory_error& failure) {
    EXPECT_EQ(std::string(failure.what()).rfind("sort_by: ", 0), 0u) << failure.what();
  }
  EXPECT_EQ(little.used_bytes(), 0u);
}

TEST(radix_sort, refuses_keys_of_another_width) {
  test_workers team(1);
  test_memory memory;
  try {
    radix_sort(team, memory, {}, 10, 5, 0, "sort_by");
    FAIL() << "expected a usage_error";
  } catch (const usage_error& failure) {
    EXPECT_STREQ(failure.what(),
                 "keys as bits: expected 4, 8 or 16 bytes a key, got 5; widen the key to the next "
                 "of these sizes");
  }
}

}  // namespace
}  // namespace pappus::algorithms
