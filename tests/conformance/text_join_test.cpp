// Joins by texts: pairs of those that have the same bytes and length, whatever their lengths.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "conformance/harness.h"
#include "pappus/detail/base/text_key.h"

namespace pappus::testing::text_joins {
namespace {

struct line {
  std::string_view text;
  std::int64_t number;
};
/// Numbers of lines on both sides; -1: none.
using both = pair<std::int64_t, std::int64_t>;

/// Texts of some lengths: those of each differ in the last byte, the first, or a zero in them.
std::vector<std::string> texts_of(const std::vector<std::size_t>& lengths) {
  std::vector<std::string> all;
  for (const std::size_t length : lengths) {
    const std::string same(length, 'a');
    all.push_back(same);
    if (length == 0) continue;
    for (const char other : {'\0', '\x01', 'b', '\xff'}) {
      all.push_back(same);
      all.back().back() = other;
      all.push_back(same);
      all.back().front() = other;
      all.push_back(same);
      all.back()[length / 2] = other;
    }
    all.emplace_back(length, '\0');
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

/// Lines of these texts in random order, each there at least once and `times` times on the average.
std::vector<line> lines(random& r, const std::vector<std::string>& texts, std::int64_t times) {
  std::vector<line> rows;
  for (const auto& text : texts) rows.push_back({text, 0});
  const auto count = static_cast<std::int64_t>(texts.size());
  for (std::int64_t i = 0; i < count * (times - 1); ++i)
    rows.push_back({texts[static_cast<std::size_t>(r.between(0, count - 1))], 0});
  for (std::size_t i = rows.size(); i > 1; --i)
    std::swap(rows[i - 1],
              rows[static_cast<std::size_t>(r.between(0, static_cast<std::int64_t>(i) - 1))]);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].number = static_cast<std::int64_t>(i);
  return rows;
}

/// What joins of both sides yield.
struct expected_pairs {
  std::vector<both> inner, left, right, full;
  std::vector<std::int64_t> semi, anti;

  expected_pairs(const std::vector<line>& a, const std::vector<line>& b) {
    std::unordered_map<std::string_view, std::vector<std::int64_t>> in_a, in_b;
    for (const auto& one : a) in_a[one.text].push_back(one.number);
    for (const auto& one : b) in_b[one.text].push_back(one.number);
    for (const auto& one : a) {
      const auto found = in_b.find(one.text);
      const bool any = found != in_b.end();
      (any ? semi : anti).push_back(one.number);
      if (!any) left.push_back({one.number, -1});
      if (any)
        for (const auto number : found->second) {
          inner.push_back({one.number, number});
          left.push_back({one.number, number});
        }
    }
    full = left;
    for (const auto& one : b) {
      const auto found = in_a.find(one.text);
      if (found == in_a.end()) {
        right.push_back({-1, one.number});
        full.push_back({-1, one.number});
      } else {
        for (const auto number : found->second) right.push_back({number, one.number});
      }
    }
  }
};

both pair_of(const line* a, const line* b) { return {a ? a->number : -1, b ? b->number : -1}; }

PAPPUS_UNHURRIED void check(const std::vector<line>& left, const std::vector<line>& right) {
  const expected_pairs expected(left, right);
  const auto by = &line::text;
  expect_rows(expected.inner, [&](session& s) {
    return s.from(left).join(s.from(right), by, by,
                             [](const line& a, const line& b) { return pair_of(&a, &b); });
  });
  expect_rows(expected.left, [&](session& s) {
    return s.from(left).left_join(s.from(right), by, by,
                                  [](const line& a, const line* b) { return pair_of(&a, b); });
  });
  expect_rows(expected.right, [&](session& s) {
    return s.from(left).right_join(s.from(right), by, by,
                                   [](const line* a, const line& b) { return pair_of(a, &b); });
  });
  expect_rows(expected.full, [&](session& s) {
    return s.from(left).full_join(s.from(right), by, by,
                                  [](const line* a, const line* b) { return pair_of(a, b); });
  });
  expect_rows(expected.semi, [&](session& s) {
    return s.from(left).semi_join(s.from(right), by, by).map(&line::number);
  });
  expect_rows(expected.anti, [&](session& s) {
    return s.from(left).anti_join(s.from(right), by, by).map(&line::number);
  });
}

const std::vector<std::size_t> all_lengths{0, 1, 2, 3, 4, 6, 7, 8, 9, 14, 15, 16, 17, 40};

/// Every second one, the other half, and a third of both.
void check_parts(random& r, std::vector<std::size_t> left, std::vector<std::size_t> right) {
  const auto a = texts_of(left), b = texts_of(right);  // at different places
  std::vector<std::string> some;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (i % 3 != 1) some.push_back(b[i]);
  check(lines(r, a, 5), lines(r, some, 1));  // keys are unique
  check(lines(r, a, 2), lines(r, some, 3));
}

TEST(text_joins, find_texts_of_all_lengths) {
  random r(41);
  check_parts(r, all_lengths, all_lengths);
}

TEST(text_joins, find_few_bytes_among_longer_texts) {
  random r(42);
  check_parts(r, all_lengths, {0, 1, 2, 3, 4, 6, 7});
}

TEST(text_joins, find_texts_of_up_to_15_bytes_among_longer_ones) {
  random r(43);
  check_parts(r, all_lengths, {1, 7, 8, 9, 14, 15});
}

TEST(text_joins, find_longer_texts_among_short_ones) {
  random r(44);
  check_parts(r, all_lengths, {16, 17, 40});
  check_parts(r, {0, 1, 7, 8, 15}, {16, 17, 40});  // none
}

TEST(text_joins, find_many_texts_one_of_a_kind_and_twice) {
  random r(45);
  for (const std::size_t length : {5u, 12u, 25u}) {
    std::vector<std::string> left, right;
    for (std::int64_t i = 0; i < up_to(40'000); ++i) {
      auto text = std::to_string(i * 7'919 % 99'991);
      text.insert(0, length - text.size(), '0');
      if (i % 4 != 0) left.push_back(text);
      if (i % 3 != 0) right.push_back(text);
    }
    check(lines(r, left, 1), lines(r, right, 1));
    check(lines(r, left, 1), lines(r, right, 2));
  }
}

TEST(text_joins, have_no_matches_on_an_empty_side) {
  random r(46);
  const auto texts = texts_of(all_lengths);
  const auto some = lines(r, texts, 2);
  check(some, {});
  check({}, some);
}

/// Texts of 15 bytes that have the same hash with seed 0.
std::vector<std::string> texts_with_one_hash() {
  std::vector<std::string> all;
  constexpr std::uint64_t sum = 0x0123456789abcd0f;
  for (std::uint64_t high = 1; all.size() < 3; ++high) {
    const detail::bits128 code{sum - detail::mix(high, 0), high};
    if ((code.lo & 0xff) != detail::text_codes::short_max) continue;
    std::array<char, 16> room;
    all.emplace_back(detail::text_codes::text(code, room.data()));
  }
  return all;
}

TEST(text_joins, tell_texts_with_the_same_hash_apart) {
  const auto texts = texts_with_one_hash();
  const detail::text_key first(texts[0]), second(texts[1]), third(texts[2]);
  ASSERT_EQ(first.hash(0), second.hash(0));
  ASSERT_EQ(first.hash(0), third.hash(0));
  ASSERT_NE(first.hash(1), second.hash(1));
  ASSERT_NE(first, second);
  random r(47);
  const auto all = lines(r, texts, 4);
  check(all, lines(r, {texts[0], texts[1]}, 1));  // on the right side
  check(all, lines(r, {texts[0], texts[1]}, 3));
  check(all, lines(r, {texts[0]}, 1));  // on the left side alone
  check(all, lines(r, {texts[0]}, 3));
}

struct tagged {
  std::array<char, 24> tag;
  std::int64_t number;
  std::string_view text() const { return {tag.data(), std::string_view(tag.data()).size()}; }
};
tagged tagged_of(std::string_view text, std::int64_t number) {
  tagged made{{}, number};
  std::ranges::copy(text, made.tag.begin());
  return made;
}

TEST(text_joins, find_texts_that_lie_in_records) {
  for (const std::size_t length : {3u, 13u, 20u}) {
    std::vector<tagged> left, right;
    for (std::int64_t i = 0; i < 3'000; ++i)
      left.push_back(tagged_of(std::string(length, 'x') + std::to_string(i % 500), i));
    for (std::int64_t i = 0; i < 400; ++i)
      right.push_back(tagged_of(std::string(length, 'x') + std::to_string(i), i));
    std::vector<both> expected;
    for (const auto& one : left)
      if (one.number % 500 < 400 && one.number % 2 == 0)
        expected.push_back({one.number, one.number % 500});
    const auto by = [](const tagged& one) { return one.text(); };
    expect_rows(expected, [&](session& s) {
      // Left records are made on the way, and so is where their texts lie.
      return s.from(left)
          .filter([](const tagged& one) { return one.number % 2 == 0; })
          .map([](const tagged& one) { return one; })
          .join(s.from(right), by, by,
                [](const tagged& a, const tagged& b) { return both{a.number, b.number}; });
    });
  }
}

}  // namespace
}  // namespace pappus::testing::text_joins
