// Texts of cells, of which those that repeat share a copy.
#include "formats/csv/csv_strings.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_memory.h"

namespace pappus::testing {
namespace {

constexpr std::size_t slab_rest = 7;  // bytes that can be read behind a text

std::string_view kept(formats::string_arena& arena, std::string_view text, char behind) {
  const std::string slab = std::string(text) + std::string(slab_rest, behind);
  return arena.keep_of_slab(0, std::string_view(slab).substr(0, text.size()));
}

TEST(csv_strings, are_their_bytes_whatever_is_behind_them) {
  test_memory memory;
  formats::string_arena arena(memory, 1, std::size_t{1} << 20, "test");
  std::vector<std::string> texts;
  for (std::size_t n = 1; n < 20; ++n)
    for (const char c : {'a', 'b', '\0', '\xff'}) {
      texts.emplace_back(n, c);
      texts.push_back("x" + std::string(n, c));
    }
  for (int round = 0; round < 3; ++round)
    for (const auto& text : texts)
      for (const char behind : {'a', 'z', '\0', '\xff'})
        EXPECT_EQ(kept(arena, text, behind), text) << text.size();
}

TEST(csv_strings, share_a_copy_where_they_repeat) {
  test_memory memory;
  formats::string_arena arena(memory, 1, std::size_t{1} << 20, "test");
  std::vector<std::string_view> first;
  const auto text = [](int i) { return std::to_string(i * 37); };
  for (int i = 0; i < 2000; ++i) first.push_back(kept(arena, text(i), ','));
  const auto bytes = arena.bytes();
  for (int round = 0; round < 5; ++round)
    for (int i = 0; i < 2000; ++i)
      EXPECT_EQ(kept(arena, text(i), '\n').data(), first[static_cast<std::size_t>(i)].data()) << i;
  EXPECT_EQ(arena.bytes(), bytes);
}

/// The table of values seen is given up on the way.
TEST(csv_strings, may_all_differ) {
  test_memory memory;
  formats::string_arena arena(memory, 1, std::size_t{1} << 20, "test");
  std::mt19937_64 random(5);
  std::vector<std::string> texts;
  std::vector<std::string_view> found;
  for (int i = 0; i < 30'000; ++i) {
    texts.push_back(std::to_string(random()).substr(0, 1 + random() % 12));
    found.push_back(kept(arena, texts.back(), 'q'));
  }
  for (int i = 0; i < 1000; ++i) {
    texts.emplace_back("same");
    found.push_back(kept(arena, "same", 'q'));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(found[i], texts[i]) << i;
}

/// Tables stay as small as their memory.
TEST(csv_strings, are_kept_where_tables_are_full) {
  test_memory memory;
  formats::string_arena arena(memory, 1, 64, "test");
  for (int round = 0; round < 30; ++round)
    for (int i = 0; i < 100; ++i) ASSERT_EQ(kept(arena, std::to_string(i), ','), std::to_string(i));
}

}  // namespace
}  // namespace pappus::testing
