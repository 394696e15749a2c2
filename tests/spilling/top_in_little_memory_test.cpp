// top and bottom of many rows where memory has room for few candidates.
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "spilling/items_on_disk.h"
#include "support/result_bytes.h"

namespace pappus::rows_in_parts {
namespace {

using testing::bytes_of;

struct broad {
  std::int64_t key;
  double value;
  std::int64_t rest[9];
};
broad broadened(const item& one) {
  return {one.key % 512, one.value, {one.key, 1, 2, 3, 4, 5, 6, 7, 8}};
}

struct chosen_rows {
  const char* name;
  std::function<collection<broad>(session&, const a_disk&)> of;
};
const std::vector<chosen_rows>& chosen() {
  static const std::vector<chosen_rows> all{
      {"of a file",
       [](session& s, const a_disk& disk) {
         return s.raw<item>(disk.path).map(broadened).top(3'300, &broad::key);
       }},
      {"the least of a filter",
       [](session& s, const a_disk& disk) {
         return s.raw<item>(disk.path)
             .filter([](const item& one) { return one.key % 3 != 0; })
             .map(broadened)
             .bottom(2'050, &broad::key);
       }},
      {"of computed rows",
       [](session& s, const a_disk&) {
         return s.range(0, 50'000)
             .map([](int i) { return broadened(item_of(i)); })
             .bottom(3'300, &broad::key);
       }},
      {"of few rows",
       [](session& s, const a_disk&) {
         return s.range(0, 100)
             .map([](int i) { return broadened(item_of(i)); })
             .top(7'675, &broad::value);
       }},
      {"of a cache",
       [](session& s, const a_disk& disk) {
         return s.raw<item>(disk.path).cache().map(broadened).top(2'675, &broad::value);
       }},
  };
  return all;
}

TEST(top, chooses_the_same_rows_in_little_memory) {
  const a_disk disk;
  session with_plenty(settings(disk.folder, plenty));
  for (const auto& [name, of] : chosen()) {
    const auto expected = bytes_of(of(with_plenty, disk));
    for (const unsigned threads : {1U, 2U, 4U}) {
      SCOPED_TRACE(fmt::format("{}, {} threads", name, threads));
      session s(settings(disk.folder, (10 + 2 * threads) * scaled_mib, threads));
      EXPECT_TRUE(bytes_of(of(s, disk)) == expected);
      EXPECT_LE(s.host_memory_peak(), s.host_memory());
      EXPECT_EQ(s.host_memory_used(), 0u);
    }
  }
}

TEST(top, lets_others_go_on_where_a_function_throws) {
  const a_disk disk;
  session s(settings(disk.folder, 16 * scaled_mib, 4));
  const auto bad = s.raw<item>(disk.path)
                       .map([](const item& one) {
                         if (one.value > 8'750) throw std::runtime_error("too much");
                         return broadened(one);
                       })
                       .top(3'300, &broad::key);
  EXPECT_THROW(bad.collect(), std::runtime_error);
  EXPECT_EQ(s.host_memory_used(), 0u);
}

}  // namespace
}  // namespace pappus::rows_in_parts
