#include "formats/csv/csv_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace pappus::formats {
namespace {

scan_result scan_bytewise(std::string_view text) {
  scan_result result = {{0, 0}, {-1, -1}, false};
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') inside = !inside;
    if (text[i] != '\n') continue;
    ++result.row_ends[inside];
    result.last_end[inside] = static_cast<std::int64_t>(i);
  }
  result.toggles = inside;
  return result;
}

TEST(csv_scan, finds_the_row_ends_that_a_loop_over_bytes_finds) {
  constexpr unsigned seed = 1;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 300, 'x');
    const unsigned rarity = 1 + random() % 40;
    for (char& c : text) {
      if (random() % rarity == 0) c = random() % 2 == 0 ? '"' : '\n';
    }
    const scan_result found = scan_rows(text);
    const scan_result expected = scan_bytewise(text);
    for (const int state : {0, 1}) {
      ASSERT_EQ(found.row_ends[state], expected.row_ends[state]) << "round " << round;
      ASSERT_EQ(found.last_end[state], expected.last_end[state]) << "round " << round;
    }
    ASSERT_EQ(found.toggles, expected.toggles) << "round " << round;
  }
}

}  // namespace
}  // namespace pappus::formats
