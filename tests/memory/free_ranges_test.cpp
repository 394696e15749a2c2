#include "memory/free_ranges.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::memory {
namespace {

/// Nothing is ever at these addresses.
std::byte* at(std::size_t place) { return reinterpret_cast<std::byte*>(0x1000'0000 + place); }

TEST(free_ranges, go_whole_to_who_wants_as_much) {
  free_ranges free;
  free.add({at(0), 10});
  free.add({at(10), 20});
  EXPECT_EQ(free.bytes(), 30u);
  EXPECT_EQ(free.take(15, 1), nullptr);
  EXPECT_EQ(free.take(30, 1), nullptr);
  EXPECT_EQ(free.take(20, 1), at(10));
  EXPECT_EQ(free.take(20, 1), nullptr);
  EXPECT_EQ(free.take(10, 1), at(0));
  EXPECT_TRUE(free.empty());
  EXPECT_EQ(free.bytes(), 0u);
}

TEST(free_ranges, that_touch_are_one_once_memory_is_short) {
  free_ranges free;
  for (const std::size_t place : {40u, 0u, 10u, 70u, 20u}) free.add({at(place), 10});
  free.merge();
  EXPECT_EQ(free.take(31, 1), nullptr);
  EXPECT_EQ(free.take(30, 1), at(0));
  free.add({at(50), 20});  // between two
  EXPECT_EQ(free.take(5, 1), at(75));
  EXPECT_EQ(free.take(35, 1), at(40));
  EXPECT_TRUE(free.empty());
}

TEST(free_ranges, are_taken_in_part_from_the_smallest_that_is_large_enough) {
  free_ranges free;
  free.add({at(100), 50});
  free.add({at(200), 20});
  free.add({at(300), 10});
  free.merge();
  EXPECT_EQ(free.take(15, 1), at(205));
  EXPECT_EQ(free.take_smallest().begin, at(200));
  EXPECT_EQ(free.take_smallest().begin, at(300));
  EXPECT_EQ(free.take(11, 1), at(139));
  EXPECT_EQ(free.bytes(), 39u);
}

TEST(free_ranges, are_cut_where_parts_are_aligned) {
  free_ranges free;
  free.add({at(1), 18});
  free.add({at(30), 40});
  free.merge();
  EXPECT_EQ(free.take(16, 16), at(32));  // no multiple of 16 has room in the smaller one
  EXPECT_EQ(free.take(16, 16), at(48));
  EXPECT_EQ(free.bytes(), 26u);
  EXPECT_EQ(free.take(2, 1), at(30));
  EXPECT_EQ(free.take(6, 1), at(64));
  free.add({at(19), 13});
  EXPECT_EQ(free.take(31, 1), at(1));
  EXPECT_TRUE(free.empty());
}

/// Which bytes are free, one by one.
class model {
 public:
  explicit model(std::size_t n) : free_(n, false) {}
  void set(std::size_t place, std::size_t bytes, bool to) {
    for (std::size_t i = place; i < place + bytes; ++i) {
      EXPECT_NE(free_[i], to) << i;  // nobody else has it
      free_[i] = to;
    }
  }
  /// Of the smallest stretch that has room. None: no stretch has.
  std::optional<std::size_t> fitting(std::size_t bytes) const {
    std::optional<std::size_t> best;
    for (std::size_t begin = 0, end = 0; begin < free_.size(); begin = end + 1) {
      for (end = begin; end < free_.size() && free_[end];) ++end;
      if (end - begin >= bytes && (!best || end - begin < *best)) best = end - begin;
    }
    return best;
  }
  /// Of the stretch in which a byte is.
  std::size_t stretch_at(std::size_t place) const {
    std::size_t begin = place, end = place;
    while (begin > 0 && free_[begin - 1]) --begin;
    while (end < free_.size() && free_[end]) ++end;
    return end - begin;
  }

 private:
  std::vector<bool> free_;
};

TEST(free_ranges, are_those_of_a_model) {
  constexpr std::size_t all = 400;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    free_ranges free;
    model expected(all);
    std::map<std::size_t, std::size_t> taken;
    for (std::size_t place = 0; place < all; place += 20) {
      free.add({at(place), 20});
      expected.set(place, 20, true);
    }
    free.merge();
    std::size_t bytes = all;
    for (int step = 0; step < 3000; ++step) {
      ASSERT_EQ(free.bytes(), bytes);
      if (random() % 2 == 0 && !taken.empty()) {
        auto one = std::next(taken.begin(), static_cast<long>(random() % taken.size()));
        free.add({at(one->first), one->second});
        expected.set(one->first, one->second, true);
        bytes += one->second;
        taken.erase(one);
        continue;
      }
      const std::size_t wanted = 1 + random() % (random() % 4 == 0 ? 120 : 20);
      const auto fitting = expected.fitting(wanted);
      auto* const found = free.take(wanted, 1);
      ASSERT_EQ(found != nullptr, fitting.has_value());
      if (found == nullptr) continue;
      const auto place = static_cast<std::size_t>(found - at(0));
      ASSERT_EQ(expected.stretch_at(place), *fitting);
      expected.set(place, wanted, false);
      ASSERT_TRUE(taken.emplace(place, wanted).second);
      bytes -= wanted;
    }
  }
}

}  // namespace
}  // namespace pappus::memory
