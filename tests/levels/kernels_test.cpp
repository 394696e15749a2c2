// Every kernel at every level against plain code: lengths around each vector's, all alignments.
#include "levels/kernels.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::levels {
namespace {

constexpr std::uint64_t seed = 81;

class at_level : public ::testing::TestWithParam<level> {
 protected:
  const kernels& tested = kernels_of(GetParam());
  std::mt19937_64 random{seed};

  template <typename T>
  std::vector<T> values(std::size_t n) {
    std::vector<T> all(n);
    for (T& value : all) value = static_cast<T>(random());
    return all;
  }

  template <typename T, typename Kernel>
  void expect_running_sums(Kernel kernel) {
    const auto from = values<T>(700);
    for (std::size_t n = 0; n < 330; n += n < 140 ? 1 : 13) {
      for (std::size_t offset = 0; offset < 64 / sizeof(T); ++offset) {
        for (const bool past_caches : {false, true}) {
          std::vector<T> got(n + 32, T{99}), expected = got;
          T sum = 5;
          for (std::size_t i = 0; i < n; ++i) expected[offset + i] = sum += from[i + offset / 2];
          const T last = kernel(T{5}, from.data() + offset / 2, got.data() + offset,
                                static_cast<std::int64_t>(n), past_caches);
          ASSERT_EQ(last, sum) << n << " numbers, offset " << offset;
          ASSERT_EQ(got, expected) << n << " numbers, offset " << offset;
        }
      }
    }
  }

  template <typename T, typename Kernel>
  void expect_compressed(Kernel kernel) {
    for (const unsigned one_in : {1u, 2u, 15u, 1'000'000u}) {
      for (std::size_t n = 0; n < 200; ++n) {
        const auto from = values<T>(n);
        std::vector<std::uint8_t> keep(n);
        std::vector<T> expected;
        for (std::size_t i = 0; i < n; ++i) {
          keep[i] = random() % one_in == 0;
          if (keep[i] != 0) expected.push_back(from[i]);
        }
        std::vector<T> got(n + 1, T{99});  // room for n
        const auto kept =
            kernel(from.data(), keep.data(), static_cast<std::int64_t>(n), got.data());
        ASSERT_EQ(got[n], T{99}) << n;
        got.resize(static_cast<std::size_t>(kept));
        ASSERT_EQ(got, expected) << n;
      }
    }
  }

  template <typename Key, typename Insert>
  void expect_inserted(Insert insert, std::uint64_t distinct);
  template <typename Key, typename Places, typename Find>
  void expect_found(Places find_places, Find find_home);
};

TEST_P(at_level, running_sums_wrap_and_write_nothing_else) {
  expect_running_sums<std::uint32_t>(tested.running_sums_32);
  expect_running_sums<std::uint64_t>(tested.running_sums_64);
}

TEST_P(at_level, running_sums_may_be_written_over_their_numbers) {
  auto numbers = values<std::uint32_t>(333);
  auto expected = numbers;
  for (std::size_t i = 1; i < expected.size(); ++i) expected[i] += expected[i - 1];
  tested.running_sums_32(0, numbers.data(), numbers.data(), 333, false);
  EXPECT_EQ(numbers, expected);
}

TEST_P(at_level, compression_keeps_order_and_stays_inside_the_room) {
  expect_compressed<std::uint32_t>(tested.compress_32);
  expect_compressed<std::uint64_t>(tested.compress_64);
}

TEST_P(at_level, copies_past_the_caches_write_what_was_there_and_nothing_else) {
  const auto source = values<std::uint8_t>(700);
  for (std::size_t bytes = 0; bytes < 330; ++bytes) {
    for (std::size_t offset = 0; offset < 65; ++offset) {
      std::vector<std::uint8_t> got(500, 99), expected = got;
      std::memcpy(expected.data() + offset, source.data() + offset % 7, bytes);
      tested.copy_past_caches(reinterpret_cast<std::byte*>(got.data() + offset),
                              reinterpret_cast<const std::byte*>(source.data() + offset % 7),
                              bytes);
      ASSERT_EQ(got, expected) << bytes << " bytes, offset " << offset;
    }
  }
}

rows_scanned scanned_bytewise(const std::string& text) {
  rows_scanned result = {{0, 0}, {-1, -1}, false};
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') inside = !inside;
    if (text[i] != '\n') continue;
    ++result.row_ends[inside ? 1 : 0];
    result.last_end[inside ? 1 : 0] = static_cast<std::int64_t>(i);
  }
  result.toggles = inside;
  return result;
}

TEST_P(at_level, ends_of_rows_are_found_outside_and_inside_quotes) {
  for (std::size_t bytes = 0; bytes < 300; ++bytes) {
    for (const std::size_t one_in : {3u, 40u}) {
      std::string text(bytes + 1, 'x');
      for (char& c : text)
        if (random() % one_in == 0) c = random() % 2 == 0 ? '\n' : '"';
      text.erase(0, 1);  // at an odd address, where strings of this length are long
      const auto found = tested.scan_csv_rows(text.data(), text.size());
      const auto expected = scanned_bytewise(text);
      for (const int state : {0, 1}) {
        ASSERT_EQ(found.row_ends[state], expected.row_ends[state]) << bytes;
        ASSERT_EQ(found.last_end[state], expected.last_end[state]) << bytes;
      }
      ASSERT_EQ(found.toggles, expected.toggles) << bytes;
    }
  }
}

TEST_P(at_level, lists_where_cells_of_csv_end) {
  std::mt19937 random(11);
  for (const std::size_t blocks : {0u, 1u, 2u, 63u, 1'024u})
    for (const std::size_t one_in : {1u, 2u, 9u, 300u}) {
      std::string text(64 * blocks, 'x');
      for (char& c : text)
        if (random() % one_in == 0) c = "\n\";"[random() % 3];
      std::vector<std::uint16_t> ends(text.size() + 8), expected;
      for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != 'x') expected.push_back(static_cast<std::uint16_t>(i));
      ends.resize(tested.list_csv_ends(text.data(), blocks, ';', ends.data()));
      ASSERT_EQ(ends, expected) << blocks << " " << one_in;
    }
}

/// Small regions of buckets, in memory that holds anything.
template <typename Key>
struct few_buckets {
  using bucket = join_bucket<Key, std::uint32_t>;
  static constexpr std::size_t stride = join_bucket_bytes<Key, std::uint32_t>;
  static constexpr unsigned region_bits = 2;
  static constexpr std::uint64_t region_buckets = 5, count = region_buckets << region_bits;

  bucket* at(std::uint64_t place) const {
    return reinterpret_cast<bucket*>(buckets.first + place * stride);
  }

  std::vector<std::byte> memory = std::vector<std::byte>(count * stride + 64);
  join_buckets buckets{
      memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64, 7,
      region_buckets, region_bits};
};

// Buckets with none to all entries in use, whose unused keys are any; keys that are there and not.
template <typename Key, typename Places, typename Find>
void at_level::expect_found(Places find_places, Find find_home) {
  few_buckets<Key> memory;
  using bucket = typename few_buckets<Key>::bucket;
  const auto& buckets = memory.buckets;
  const auto at = [&](std::uint64_t place) { return memory.at(place); };
  for (std::uint64_t place = 0; place < memory.count; ++place) {
    for (unsigned i = 0; i < bucket::width; ++i) {
      at(place)->keys[i] = static_cast<Key>(random() % 64);
      const auto row = static_cast<std::uint32_t>(random());
      at(place)->entries[i] = {row, i < place % (bucket::width + 1) ? 1 + row % 9 : 0};
    }
  }
  for (std::size_t n = 0; n < 200; ++n) {
    std::vector<Key> keys(n);
    for (Key& key : keys) key = static_cast<Key>(random() % 64);
    std::vector<std::uint64_t> places(n), first(n), count(n);
    std::vector<std::uint16_t> aside(n + 1);
    find_places(buckets, keys.data(), n, places.data());
    aside.resize(find_home(buckets, keys.data(), places.data(), n, first.data(), count.data(),
                           aside.data()));
    std::vector<std::uint16_t> expected_aside;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(places[i], buckets.place(keys[i]));
      const bucket& here = *at(places[i]);
      unsigned slot = 0;
      while (slot + 1 < bucket::width && here.keys[slot] != keys[i]) ++slot;
      const bool hit = here.keys[slot] == keys[i];
      ASSERT_EQ(count[i], here.entries[slot].count) << "key " << i << " of " << n;
      ASSERT_EQ(first[i], here.entries[slot].first) << "key " << i << " of " << n;
      if (!hit && here.entries[slot].count != 0)
        expected_aside.push_back(static_cast<std::uint16_t>(i));
    }
    ASSERT_EQ(aside, expected_aside) << n;
  }
}

// Small regions, so that buckets and at last regions become full; over memory that holds anything
// but counts.
template <typename Key, typename Insert>
void at_level::expect_inserted(Insert insert, std::uint64_t distinct) {
  few_buckets<Key> memory;
  using bucket = typename few_buckets<Key>::bucket;
  const auto& buckets = memory.buckets;
  const auto at = [&](std::uint64_t place) { return memory.at(place); };
  constexpr std::uint64_t room = few_buckets<Key>::region_buckets * bucket::width;
  for (std::uint64_t place = 0; place < memory.count; ++place) {
    for (unsigned i = 0; i < bucket::width; ++i) {
      at(place)->keys[i] = static_cast<Key>(random() % distinct);
      at(place)->entries[i] = {static_cast<std::uint32_t>(random()), 0};
    }
  }
  struct rows_of_key {
    std::uint32_t first, count;
  };
  std::map<Key, rows_of_key> expected;
  std::vector<std::uint64_t> used(1 << memory.region_bits);
  std::uint32_t most = 0, expected_most = 0, row = 0;
  bool fits = true;
  for (std::size_t n = 0; fits && n < 40; ++n) {
    std::vector<Key> keys(n);
    std::vector<std::uint32_t> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = static_cast<Key>(random() % distinct);
      rows[i] = row++;
      const auto [entry, fresh] = expected.try_emplace(keys[i], rows_of_key{rows[i], 0});
      expected_most = std::max(expected_most, ++entry->second.count);
      if (fresh) fits &= ++used[buckets.place(keys[i]) / memory.region_buckets] <= room;
    }
    ASSERT_EQ(insert(buckets, keys.data(), rows.data(), n, &most), fits) << n << " keys";
  }
  EXPECT_EQ(fits, distinct < 100);
  if (!fits) return;
  ASSERT_EQ(most, expected_most);
  for (const auto& [key, rows] : expected) {
    std::uint64_t place = buckets.place(key), entry = 0;
    while (at(place)->keys[entry] != key) {
      ASSERT_NE(at(place)->entries[entry].count, 0u) << "key " << key;
      if (++entry < bucket::width) continue;
      entry = 0;
      place = buckets.next(place);
    }
    ASSERT_EQ(at(place)->entries[entry].first, rows.first) << "key " << key;
    ASSERT_EQ(at(place)->entries[entry].count, rows.count) << "key " << key;
  }
}

TEST_P(at_level, keys_are_put_into_buckets) {
  for (const std::uint64_t distinct : {1u, 3u, 20u, 56u, 3000u}) {
    SCOPED_TRACE("keys below " + std::to_string(distinct));
    expect_inserted<std::uint32_t>(tested.join_insert_32, distinct);
    expect_inserted<std::uint64_t>(tested.join_insert_64, distinct);
  }
}

TEST_P(at_level, keys_are_found_in_their_home_buckets) {
  expect_found<std::uint32_t>(tested.join_places_32, tested.join_find_32);
  expect_found<std::uint64_t>(tested.join_places_64, tested.join_find_64);
}

INSTANTIATE_TEST_SUITE_P(levels, at_level,
                         ::testing::ValuesIn(available().begin(), available().end()),
                         [](const auto& tested) {
                           std::string word(name(tested.param));
                           std::replace(word.begin(), word.end(), '-', '_');
                           return word;
                         });

}  // namespace
}  // namespace pappus::levels
