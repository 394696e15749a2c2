#include "algorithms/text_image.h"

#include <random>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pappus::algorithms {
namespace {

TEST(text_image, of_up_to_fifteen_bytes_is_all_of_the_text) {
  std::mt19937 random(3);
  std::set<std::string> texts;
  for (std::size_t n = 0; n <= 15; ++n)
    for (int i = 0; i < 300; ++i) {
      std::string text(n, '\0');
      for (char& c : text) c = "\0\1ab\xFF"[random() % 5];
      texts.insert(text);
    }
  std::set<std::pair<std::uint64_t, std::uint64_t>> images;
  for (const auto& text : texts) {
    const auto exact = std::vector<char>(text.begin(), text.end());
    const auto image = image_of({exact.data(), exact.size()});
    EXPECT_TRUE(image.is_whole());
    EXPECT_EQ(image.size(), text.size());
    images.insert({image.low, image.high});
  }
  EXPECT_EQ(images.size(), texts.size());
}

TEST(text_image, of_a_longer_text_has_its_length_and_all_bytes_count) {
  for (const std::size_t n : {16u, 17u, 23u, 24u, 25u, 255u, 256u, 4'000u}) {
    const std::string text(n, 'x');
    const auto image = image_of(text);
    EXPECT_FALSE(image.is_whole());
    EXPECT_EQ(image.size(), n);
    EXPECT_EQ(image, image_of(std::string(text)));
    for (std::size_t at = 0; at < n; at += n / 16) {
      auto other = text;
      other[at] = 'y';
      EXPECT_NE(image, image_of(other)) << n << " " << at;
      EXPECT_FALSE(same_text(image, text.data(), other.data()));
    }
    EXPECT_TRUE(same_text(image, text.data(), std::string(text).data()));
  }
}

TEST(text_image, has_a_hash_that_spreads_texts_alike) {
  std::unordered_set<std::uint64_t> low, high;
  for (int i = 0; i < 100'000; ++i) {
    const auto hash = image_of("N" + std::to_string(i)).hash();
    low.insert(hash & 0xFFFF);
    high.insert(hash >> 48);
  }
  // Of 2^16 boxes 100,000 balls leave 22 % empty.
  EXPECT_GT(low.size(), 50'000u);
  EXPECT_GT(high.size(), 50'000u);
}

}  // namespace
}  // namespace pappus::algorithms
