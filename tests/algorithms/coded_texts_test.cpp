#include "algorithms/coded_texts.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/detail/base/packed_code.h"
#include "pappus/detail/base/packed_key.h"
#include "pappus/records.h"
#include "support/test_memory.h"
#include "support/test_workers.h"

namespace pappus::algorithms {
namespace {

namespace codes = detail::text_codes;
using bytes = string_ids::bytes;

/// Of up to `longest` bytes, of which many begin others and some have zeros in them.
std::string random_text(std::mt19937_64& engine, std::size_t longest) {
  std::string text(engine() % (longest + 1), 'a');
  for (char& c : text) {
    const auto kind = engine() % 8;
    if (kind < 3) c = kind == 0 ? '\0' : kind == 1 ? '\xff' : static_cast<char>(engine() % 256);
  }
  return text;
}

TEST(text_codes, of_short_texts_have_their_order_and_come_back) {
  std::mt19937_64 engine(3);
  int equal = 0;
  for (int round = 0; round < 100'000; ++round) {
    const auto a = random_text(engine, codes::short_max);
    const auto b = round % 16 == 0 ? a : random_text(engine, codes::short_max);
    const auto of_a = codes::of_short(a), of_b = codes::of_short(b);
    ASSERT_EQ(of_a < of_b, std::string_view(a) < std::string_view(b)) << "round " << round;
    ASSERT_EQ(of_a == of_b, a == b) << "round " << round;
    equal += a == b ? 1 : 0;
    std::array<char, 16> room;
    ASSERT_TRUE(codes::is_short(of_a));
    ASSERT_EQ(codes::text(of_a, room.data()), a) << "round " << round;
  }
  EXPECT_GT(equal, 6'000);
}

TEST(text_codes, of_numbers_are_none_of_short_texts) {
  for (const std::uint32_t number : {0u, 1u, 0xffffffffu}) {
    EXPECT_FALSE(codes::is_short(codes::of_number(number)));
    EXPECT_EQ(codes::number(codes::of_number(number)), number);
    EXPECT_NE(codes::of_number(number), coded_texts::none);
  }
}

struct stop {
  std::string_view town;
  std::optional<std::int16_t> track;
};
struct tagged {
  std::array<char, 20> tag;
  bool flag;
};

template <typename K>
void expect_code_of_packed(const K& key, coded_texts::worker& coder) {
  std::string packed(detail::key_packer::bytes_max(key), '?');
  packed.resize(detail::key_packer::pack(key, packed.data()).size());
  ASSERT_EQ(detail::packed_code(key, coder), coder.code(packed))
      << ::testing::PrintToString(packed);
}

// Short ones are made without packing the key.
TEST(packed_codes, are_those_of_the_packed_key) {
  std::mt19937_64 engine(5);
  testing::test_memory memory;
  coded_texts texts(memory, "test", bytes::are_copied);
  coded_texts::worker coder(texts, false);
  for (int round = 0; round < 50'000; ++round) {
    const auto a = random_text(engine, round % 16), b = random_text(engine, round % 5);
    const auto number = static_cast<std::int16_t>(engine());
    expect_code_of_packed(pair<std::string_view, std::string_view>(a, b), coder);
    expect_code_of_packed(pair<std::int32_t, std::string_view>(number, a), coder);
    expect_code_of_packed(pair<std::string_view, double>(b, number / 8.0), coder);
    stop one{a, {}};
    if (round % 3 != 0) one.track = number;
    expect_code_of_packed(one, coder);
    tagged with{{}, round % 2 == 0};
    std::copy_n(a.begin(), std::min<std::size_t>(a.size(), 20), with.tag.begin());
    if (round % 7 == 0) with.tag.fill('x');
    expect_code_of_packed(with, coder);
    expect_code_of_packed(std::array<std::int64_t, 3>{number, 1, 2}, coder);
  }
  EXPECT_GT(texts.size(), 1'000u) << "some keys must be long";
}

std::vector<std::string> some_texts(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::string> made(n);
  for (auto& text : made) text = random_text(engine, 24);
  return made;
}

/// The codes that workers give, a batch at a time and one at a time in turn.
std::vector<bits128> coded(coded_texts& by, const std::vector<std::string_view>& texts,
                           testing::test_workers& team, bool in_batches) {
  constexpr std::size_t batch = 500;
  std::vector<bits128> found(texts.size());
  detail::parallel_chunks(team, texts.size() / batch, [&](std::size_t item, unsigned) {
    coded_texts::worker coder(by, true);
    const auto* const first = texts.data() + item * batch;
    auto* const to = found.data() + item * batch;
    if (in_batches || item % 2 == 0)
      coder.codes_of(first, batch, to);
    else
      for (std::size_t i = 0; i < batch; ++i) to[i] = coder.code(first[i]);
  });
  return found;
}

TEST(coded_texts, gives_equal_texts_equal_codes_whatever_the_number_of_workers) {
  const auto texts = some_texts(40'000, 7);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  for (const unsigned workers : {1u, 2u, 8u}) {
    testing::test_memory memory;
    testing::test_workers team(workers);
    coded_texts by(memory, "test", bytes::stay);
    const auto found = coded(by, views, team, false);
    const auto longer = by.longer(team);
    for (std::size_t i = 0; i < views.size(); ++i) {
      std::array<char, 16> room;
      ASSERT_EQ(coded_texts::text_of(found[i], longer.as<const std::string_view>(), room.data()),
                views[i]);
      ASSERT_EQ(codes::is_short(found[i]), views[i].size() <= codes::short_max);
    }
    std::map<std::string_view, bits128> expected;
    for (std::size_t i = 0; i < views.size(); ++i)
      ASSERT_EQ(expected.try_emplace(views[i], found[i]).first->second, found[i]);
  }
}

// Those that had codes before there was a limit keep them; each other has one always or never.
TEST(coded_texts, gives_no_codes_beyond_a_limit) {
  const auto before = some_texts(5'000, 11), after = some_texts(40'000, 12);
  const std::vector<std::string_view> first(before.begin(), before.end());
  std::vector<std::string_view> all(before.begin(), before.end());
  all.insert(all.end(), after.begin(), after.end());
  testing::test_memory memory;
  {
    testing::test_workers team(4);
    coded_texts by(memory, "test", bytes::are_copied);
    const auto early = coded(by, first, team, false);
    by.limit(9'000, SIZE_MAX, [&](auto&& use) {
      for (const auto& code : early) use(code);
    });
    EXPECT_TRUE(by.limited());
    const auto found = coded(by, all, team, true), again = coded(by, all, team, true);
    EXPECT_EQ(found, again);
    const auto longer = by.longer(team);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::array<char, 16> room;
      if (found[i] == coded_texts::none) continue;
      ASSERT_EQ(coded_texts::text_of(found[i], longer.as<const std::string_view>(), room.data()),
                all[i]);
    }
    EXPECT_TRUE(std::ranges::equal(early, std::span(found).first(early.size())));
    std::map<std::string_view, bits128> expected;
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(expected.try_emplace(all[i], found[i]).first->second, found[i]);
    const auto without =
        std::ranges::count(expected, coded_texts::none, [](const auto& one) { return one.second; });
    EXPECT_GT(without, 0);
    EXPECT_NEAR(static_cast<double>(expected.size()) - static_cast<double>(without), 9'000, 4);
  }
  EXPECT_EQ(memory.used_bytes(), 0u);
}

}  // namespace
}  // namespace pappus::algorithms
