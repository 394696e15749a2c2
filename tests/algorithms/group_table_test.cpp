#include "algorithms/group_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "algorithms/key_bits.h"
#include "pappus/error.h"
#include "support/test_memory.h"

namespace pappus::algorithms {
namespace {

using testing::test_memory;

struct tally {
  std::uint64_t sum;
  std::uint32_t count;

  void merge(const tally& other) {
    sum += other.sum;
    count += other.count;
  }
};

template <typename Key>
Key make_key(std::uint64_t value) {
  if constexpr (sizeof(Key) == 16) {
    return {value * 77, value};
  } else {
    return static_cast<Key>(value);
  }
}

// Sums row numbers by key, `batch` keys at a time.
template <typename Key>
void accumulate(group_table& table, const std::vector<Key>& keys, std::size_t batch) {
  std::byte* states[group_table::batch_max];
  for (std::size_t row = 0; row < keys.size(); row += batch) {
    const std::size_t n = std::min(batch, keys.size() - row);
    table.find_or_insert(reinterpret_cast<const std::byte*>(keys.data() + row), n, states);
    for (std::size_t i = 0; i < n; ++i) {
      auto* state = reinterpret_cast<tally*>(states[i]);
      state->sum += row + i;
      ++state->count;
    }
  }
}

// The same, looked up in line.
template <typename Key>
void accumulate_in_line(group_table& table, const std::vector<Key>& keys) {
  auto slots = table.slots();
  detail::group_finder<tally, Key> state_of(slots);
  for (std::size_t row = 0; row < keys.size(); ++row) {
    tally& state = state_of(keys[row]);
    state.sum += row;
    ++state.count;
  }
}

template <typename Key>
std::map<Key, std::pair<std::uint64_t, std::uint32_t>> contents(const group_table& table) {
  std::map<Key, std::pair<std::uint64_t, std::uint32_t>> all;
  table.for_each([&](const std::byte* key, const std::byte* state) {
    const auto value = load<tally>(state);
    EXPECT_TRUE(all.emplace(load<Key>(key), std::pair(value.sum, value.count)).second);
  });
  return all;
}

template <typename Key>
void expect_groups(const std::vector<Key>& keys, std::size_t expected, std::size_t batch) {
  std::map<Key, std::pair<std::uint64_t, std::uint32_t>> reference;
  for (std::size_t row = 0; row < keys.size(); ++row) {
    auto& [sum, count] = reference.try_emplace(keys[row], 5, 0).first->second;
    sum += row;
    ++count;
  }
  test_memory memory;
  {
    const tally initial{5, 0};
    group_table table(memory, sizeof(Key), sizeof(tally), alignof(tally),
                      reinterpret_cast<const std::byte*>(&initial), expected, "group_by");
    accumulate(table, keys, batch);
    EXPECT_EQ(table.size(), reference.size());
    EXPECT_TRUE(contents<Key>(table) == reference);
    for (const bool sparse : {false, true}) {
      group_table in_line(memory, sizeof(Key), sizeof(tally), alignof(tally),
                          reinterpret_cast<const std::byte*>(&initial), expected, "group_by",
                          {.sparse = sparse});
      accumulate_in_line(in_line, keys);
      EXPECT_EQ(in_line.size(), reference.size());
      EXPECT_TRUE(contents<Key>(in_line) == reference);
    }
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
}

template <typename Key>
class group_table_keys : public ::testing::Test {};
using key_types = ::testing::Types<std::uint32_t, std::uint64_t, bits128>;
TYPED_TEST_SUITE(group_table_keys, key_types);

TYPED_TEST(group_table_keys, groups_random_keys_as_a_map_does) {
  for (std::size_t n : {0, 1, 2, 3, 255, 256, 257, 4095, 4096, 4097, 100'000}) {
    for (std::uint64_t distinct : {1, 100, 1'000, 50'000}) {
      SCOPED_TRACE("n " + std::to_string(n) + ", at most " + std::to_string(distinct) +
                   " keys, seed " + std::to_string(n + distinct));
      std::mt19937_64 random(n + distinct);
      std::vector<TypeParam> keys(n);
      for (auto& key : keys) key = make_key<TypeParam>(random() % distinct * 1'000'003);
      expect_groups(keys, 0, 512);
      expect_groups(keys, distinct, 77);
    }
  }
}

TYPED_TEST(group_table_keys, holds_any_key_its_empty_slots_mark_included) {
  // A fresh table's slots hold the reserved key, one of them another; take them from there by
  // looking at raw memory.
  struct spy final : detail::memory_source {
    std::byte* acquire(std::size_t bytes, std::string_view owner) override {
      return last = inner.acquire(bytes, owner);
    }
    void release(std::byte* data, std::size_t bytes) noexcept override {
      inner.release(data, bytes);
    }
    std::size_t available() const noexcept override { return inner.available(); }
    test_memory inner;
    std::byte* last = nullptr;
  } memory;
  const tally initial{0, 0};
  group_table table(memory, sizeof(TypeParam), sizeof(tally), alignof(tally),
                    reinterpret_cast<const std::byte*>(&initial), 0, "group_by");
  std::map<TypeParam, std::size_t> marks;
  const std::size_t stride =
      detail::group_slot_bytes(sizeof(TypeParam), sizeof(tally), alignof(tally));
  for (std::size_t at = 0; at < table.bytes(); at += stride)
    ++marks[load<TypeParam>(memory.last + at)];
  ASSERT_EQ(marks.size(), 2u);
  for (const std::uint64_t distinct : {10, 3'000}) {  // as many slots as the fresh table, and more
    for (const auto& [mark, count] : marks) {
      std::vector<TypeParam> keys;
      for (std::uint64_t i = 0; i < 20'000; ++i)
        keys.push_back(i % 7 == 0 ? mark : make_key<TypeParam>(i % distinct));
      expect_groups(keys, 0, 512);
      expect_groups(keys, 0, 1);
    }
  }
}

TEST(group_table, finds_extreme_keys) {
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 1'000; ++i) {
    for (std::uint64_t key : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      keys.push_back(key);
    }
  }
  expect_groups(keys, 0, 512);
}

TEST(group_table, keeps_states_when_it_chooses_another_hash) {
  // Many look-ups of few keys: enough for the table to find that some are displaced.
  std::mt19937_64 random(21);
  std::vector<std::uint64_t> distinct(300), keys(2'000'000);
  for (auto& key : distinct) key = random();
  for (auto& key : keys) key = distinct[random() % distinct.size()];
  SCOPED_TRACE("seed 21");
  expect_groups(keys, 0, 512);
}

TEST(group_table, looks_up_no_keys) {
  test_memory memory;
  const std::byte initial[4] = {};
  group_table table(memory, 8, 4, 4, initial, 0, "group_by");
  table.find_or_insert(nullptr, 0, nullptr);
  EXPECT_EQ(table.size(), 0u);
}

TEST(group_table, lists_keys_in_ascending_order_with_their_states) {
  std::mt19937_64 random(22);
  std::vector<std::uint32_t> keys(5'000);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random() % 900);
  keys[3] = ~0u;
  test_memory memory;
  const tally initial{0, 0};
  group_table table(memory, 4, sizeof(tally), alignof(tally),
                    reinterpret_cast<const std::byte*>(&initial), 0, "group_by");
  accumulate(table, keys, 512);
  std::vector<std::uint32_t> sorted(table.size());
  std::vector<std::byte*> states(table.size());
  table.sorted(reinterpret_cast<std::byte*>(sorted.data()), states.data());
  const std::set<std::uint32_t> expected(keys.begin(), keys.end());
  EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()))
      << "seed 22";
  const auto all = contents<std::uint32_t>(table);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(load<tally>(states[i]).sum, all.at(sorted[i]).first);
  }
}

TEST(group_table, aligns_states_as_asked) {
  test_memory memory;
  const std::vector<std::byte> initial(40);
  group_table table(memory, 4, 40, 32, initial.data(), 0, "group_by");
  std::vector<std::uint32_t> keys(300);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * i);
  std::byte* states[300];
  table.find_or_insert(reinterpret_cast<const std::byte*>(keys.data()), keys.size(), states);
  for (std::byte* state : states) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(state) % 32, 0u);
}

TEST(group_table, says_which_operator_lacks_memory_to_grow) {
  test_memory memory(100'000);
  const tally initial{0, 0};
  group_table table(memory, 8, sizeof(tally), alignof(tally),
                    reinterpret_cast<const std::byte*>(&initial), 0, "group_by");
  std::vector<std::uint64_t> keys(10'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  try {
    accumulate(table, keys, 512);
    FAIL() << "expected a memory_error";
  } catch (const memory_error& failure) {
    EXPECT_EQ(std::string(failure.what()).rfind("group_by: ", 0), 0u) << failure.what();
  }
  for (const auto& [key, value] : contents<std::uint64_t>(table)) EXPECT_LE(value.second, 1u);
}

TEST(group_table, ends_the_long_probes_of_keys_whose_spacing_suits_its_hash_badly) {
  // Products of neighbours differ by one: all homes are the same.
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - detail::spread_hash::product(1) * inverse;
  std::vector<std::uint64_t> keys(50'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i * inverse;
  expect_groups(keys, 0, 512);
}

std::map<std::uint64_t, std::uint64_t> sums_of(const group_table& table) {
  std::map<std::uint64_t, std::uint64_t> sums;
  table.for_each([&](const std::byte* key, const std::byte* state) {
    sums[load<std::uint64_t>(key)] = reinterpret_cast<const tally*>(state)->sum;
  });
  return sums;
}

/// Tables of one lineage, whose slots agree, of others, and with the reserved key.
TEST(group_table, merges_what_is_in_the_same_slots_and_what_is_not) {
  test_memory memory;
  const tally none{};
  const auto make = [&](std::size_t expected, bool sparse) {
    return group_table(memory, 8, sizeof(tally), alignof(tally),
                       reinterpret_cast<const std::byte*>(&none), expected, "test",
                       {.sparse = sparse});
  };
  std::mt19937_64 numbers(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint64_t> keys(3000);
    for (auto& key : keys) key = numbers() % (round % 2 == 0 ? 1000 : 100'000);
    keys[17] = detail::reserved_key<std::uint64_t>();
    auto first = make(round < 10 ? 0 : 5000, round % 3 == 0);
    accumulate(first, keys, 100);
    auto expected = sums_of(first);
    const auto total = first.copy();
    EXPECT_EQ(sums_of(*total), expected);
    first.reset_states();
    for (const auto& [key, sum] : sums_of(first)) ASSERT_EQ(sum, 0u) << key;

    for (auto& key : keys) key = numbers() % 3000;  // some are new, and may make it grow
    accumulate(first, keys, 100);
    auto other = make(0, true);
    accumulate(other, keys, 100);
    for (const auto& [key, sum] : sums_of(first)) expected[key] += sum;
    for (const auto& [key, sum] : sums_of(other)) expected[key] += sum;
    const detail::group_merging by{detail::merge_states<tally>,
                                   detail::merge_group_slots<tally, std::uint64_t>};
    const auto others = sums_of(other);
    total->merge(first, by, group_table::merged::reset);
    total->merge(other, by, group_table::merged::kept);
    EXPECT_EQ(sums_of(*total), expected);
    EXPECT_EQ(total->size(), expected.size());
    for (const auto& [key, sum] : sums_of(first)) ASSERT_EQ(sum, 0u) << key;
    EXPECT_EQ(sums_of(other), others);
  }
}

}  // namespace
}  // namespace pappus::algorithms
