#include "algorithms/join_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <unordered_map>
#include <vector>

#include "pappus/error.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

using testing::test_memory;
using testing::test_workers;

template <typename Key>
Key key_of(std::uint64_t value) {
  if constexpr (sizeof(Key) == 16) {
    return {value, value >> 1};
  } else {
    return static_cast<Key>(value);
  }
}

struct hash_of_key {
  template <typename Key>
  std::size_t operator()(const Key& key) const {
    return hash(key);
  }
};

template <typename Key>
const std::byte* bytes_of(const std::vector<Key>& keys) {
  return reinterpret_cast<const std::byte*>(keys.data());
}

// The rows of each probed key, in the order in which the table gives them.
template <typename Key>
std::vector<std::vector<std::uint64_t>> matches_of(const join_table& table,
                                                   const std::vector<Key>& probes) {
  std::vector<std::uint64_t> first(probes.size()), count(probes.size());
  table.probe(bytes_of(probes), probes.size(), first.data(), count.data());
  std::vector<std::vector<std::uint64_t>> all(probes.size());
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (count[i] == 1) all[i] = {first[i]};
    for (std::uint64_t k = 0; count[i] > 1 && k < count[i]; ++k) {
      all[i].push_back(table.row(first[i] + k));
    }
  }
  return all;
}

template <typename Key>
void expect_joins(const std::vector<Key>& keys, const std::vector<Key>& probes,
                  join_domain domain = {}, unsigned workers = 2, std::size_t row_bytes = 0) {
  std::unordered_multimap<Key, std::uint64_t, hash_of_key> reference;
  for (std::size_t row = 0; row < keys.size(); ++row) reference.emplace(keys[row], row);
  test_memory memory;
  {
    test_workers team(workers);
    const join_table table(team, memory, bytes_of(keys), keys.size(), sizeof(Key), domain, "join",
                           row_bytes);
    EXPECT_EQ(table.rows(), keys.size());
    const auto found = matches_of(table, probes);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const auto [begin, end] = reference.equal_range(probes[i]);
      std::vector<std::uint64_t> expected;
      for (auto at = begin; at != end; ++at) expected.push_back(at->second);
      std::sort(expected.begin(), expected.end());
      ASSERT_EQ(found[i], expected) << "probe " << i;
    }
    std::vector<Key> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(table.unique(), std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
}

template <typename Key>
class join_table_keys : public ::testing::Test {};
using key_types = ::testing::Types<std::uint32_t, std::uint64_t, bits128>;
TYPED_TEST_SUITE(join_table_keys, key_types);

TYPED_TEST(join_table_keys, finds_what_a_multimap_finds) {
  for (std::size_t n : {0, 1, 2, 3, 255, 256, 257, 4095, 4096, 4097, 100'000}) {
    for (std::uint64_t distinct : {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{1} << 40}) {
      if (n > 5'000 && distinct == 1) continue;  // the reference is quadratic
      SCOPED_TRACE("n " + std::to_string(n) + ", keys below " + std::to_string(distinct) +
                   ", seed " + std::to_string(n));
      std::mt19937_64 random(n);
      std::vector<TypeParam> keys(n), probes;
      for (auto& key : keys) key = key_of<TypeParam>(random() % distinct);
      for (std::size_t i = 0; i < 700; ++i) {  // more than a batch, half of them present
        const bool present = i % 2 == 0 && n != 0;
        probes.push_back(present ? keys[random() % n] : key_of<TypeParam>(random()));
      }
      probes.push_back(key_of<TypeParam>(0));  // what cleared memory looks like
      if (n > 5'000 && distinct == 50) probes.resize(20);
      expect_joins(keys, probes);
      expect_joins(keys, probes, {}, 3, 8);
    }
  }
}

TYPED_TEST(join_table_keys, indexes_a_known_domain_directly) {
  std::mt19937_64 random(31);
  for (std::uint64_t size : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{90'000}}) {
    SCOPED_TRACE("domain of " + std::to_string(size) + ", seed 31");
    const std::uint64_t base = 1u << 31;
    const auto key = [&](std::uint64_t k) {
      if constexpr (sizeof(TypeParam) == 16) {
        return bits128{base + k, 0};
      } else {
        return static_cast<TypeParam>(base + k);
      }
    };
    std::vector<TypeParam> keys(size == 1 ? 50 : 20'000), probes;
    for (auto& k : keys) k = key(random() % size);
    for (std::uint64_t k : {std::uint64_t{0}, size - 1, size, size + 1}) probes.push_back(key(k));
    for (int i = 0; i < 300; ++i) probes.push_back(keys[random() % keys.size()]);
    probes.push_back(key_of<TypeParam>(base - 1));
    probes.push_back(key_of<TypeParam>(~std::uint64_t{0}));
    expect_joins(keys, probes, {{base, 0}, size});
  }
}

TEST(join_table, counts_a_domain_of_wide_keys_from_its_base) {
  const bits128 base{~std::uint64_t{0} - 5, 9};
  std::vector<bits128> keys, probes{{0, 0}, {20, 10}, {~std::uint64_t{0} - 6, 9}, base};
  for (std::uint64_t k = 0; k < 20; ++k) {  // crosses into the next high half
    const std::uint64_t lo = base.lo + k;
    keys.push_back({lo, lo < base.lo ? base.hi + 1 : base.hi});
  }
  probes.insert(probes.end(), keys.begin(), keys.end());
  expect_joins(keys, probes, {base, 20});
}

TEST(join_table, finds_a_million_unique_keys) {
  std::vector<std::uint64_t> keys(1'000'000), probes;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * 1'000'003;
  std::mt19937_64 random(32);
  std::shuffle(keys.begin(), keys.end(), random);
  for (int i = 0; i < 5'000; ++i) probes.push_back(random() % 1'000'000 * (i % 2 ? 1'000'003 : 1));
  SCOPED_TRACE("seed 32");
  expect_joins(keys, probes);
}

// Most rows have the same few keys; others have keys of their own.
TYPED_TEST(join_table_keys, finds_rows_of_skewed_keys) {
  std::mt19937_64 random(34);
  for (const std::size_t n : {500, 20'000, 300'000}) {
    SCOPED_TRACE("n " + std::to_string(n) + ", seed 34");
    std::vector<TypeParam> keys(n), probes;
    std::vector<std::vector<std::uint64_t>> expected(3);
    for (std::size_t row = 0; row < n; ++row) {
      const bool own = random() % 8 == 0;
      const auto heavy = static_cast<std::size_t>(random() % 3);
      keys[row] = key_of<TypeParam>(own ? 1000 + row : heavy);
      if (!own) expected[heavy].push_back(row);
    }
    for (std::uint64_t k = 0; k < 3; ++k) probes.push_back(key_of<TypeParam>(k));
    for (std::size_t row = 0; row < n; row += 1 + n / 900) {
      probes.push_back(key_of<TypeParam>(1000 + row));
      expected.emplace_back();
      if (keys[row] == probes.back()) expected.back().push_back(row);
    }
    test_memory memory;
    for (const unsigned workers : {1u, 3u, 8u}) {
      for (const std::size_t row_bytes : {4, 8}) {
        test_workers team(workers);
        const join_table table(team, memory, bytes_of(keys), n, sizeof(TypeParam), {}, "join",
                               row_bytes);
        ASSERT_TRUE(matches_of(table, probes) == expected)
            << workers << " workers, rows of " << row_bytes << " bytes";
      }
    }
  }
}

TEST(join_table, gives_the_same_rows_for_any_number_of_workers) {
  std::mt19937_64 random(33);
  std::vector<std::uint64_t> keys(150'000);
  for (auto& key : keys) key = random() % 60'000;
  test_memory memory;
  std::vector<std::uint64_t> expected_first, expected_count;
  for (unsigned workers = 1; workers <= 8; ++workers) {
    test_workers team(workers);
    const join_table table(team, memory, bytes_of(keys), keys.size(), 8, {}, "join");
    std::vector<std::uint64_t> first(keys.size()), count(keys.size());
    table.probe(bytes_of(keys), keys.size(), first.data(), count.data());
    if (workers == 1) expected_first = first, expected_count = count;
    EXPECT_TRUE(first == expected_first && count == expected_count)
        << workers << " workers, seed 33";
  }
}

// Undoes mix() for seed 0, to make keys that collide.
std::uint64_t unmix(std::uint64_t h) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;  // Newton: doubles the correct bits
    return x;
  };
  h ^= h >> 32;
  h *= inverse(0xd6e8feb86659fd93u);
  h ^= (h >> 29) ^ (h >> 58);
  h *= inverse(0x9e3779b97f4a7c15u);
  return h ^ (h >> 32);
}

TEST(join_table, survives_keys_made_to_collide) {
  std::vector<std::uint64_t> keys(60'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = unmix(i);
  ASSERT_EQ(hash(keys[59'999]), 59'999u);
  test_memory memory;
  test_workers team(2);
  const join_table table(team, memory, bytes_of(keys), keys.size(), 8, {}, "join");
  EXPECT_TRUE(table.unique());
  const auto found = matches_of(table, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(found[i], std::vector<std::uint64_t>{i});
  }
  EXPECT_LT(memory.peak_bytes(), keys.size() * 100);
}

TEST(join_table, refuses_keys_outside_their_domain) {
  const std::vector<std::uint32_t> keys{1, 2, 10};
  test_memory memory;
  test_workers team(1);
  try {
    join_table(team, memory, bytes_of(keys), 3, 4, {{0, 0}, 10}, "join");
    FAIL() << "expected a usage_error";
  } catch (const usage_error& failure) {
    EXPECT_STREQ(failure.what(),
                 "join: a key lies outside its known domain of 10 keys; widen the domain or join "
                 "without one");
  }
}

TEST(join_table, says_which_operator_lacks_memory) {
  const std::vector<std::uint64_t> keys(10'000, 3);
  test_memory memory(10'000);
  test_workers team(2);
  try {
    join_table(team, memory, bytes_of(keys), keys.size(), 8, {}, "join");
    FAIL() << "expected a memory_error";
  } catch (const memory_error& failure) {
    EXPECT_EQ(std::string(failure.what()).rfind("join: ", 0), 0u) << failure.what();
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
}

}  // namespace
}  // namespace pappus::algorithms
