// Groups of keys with text in them, whose bytes rows share, or seem to.
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "pappus/detail/base/key_place.h"
#include "pappus/pappus.h"

namespace pappus::met_keys {
namespace {

using std::string_view;

struct row {
  string_view text;
  std::int64_t number = 0;
  std::optional<string_view> other;
  double part = 0;
};
struct wide {
  string_view text;
  std::int64_t a, b;
};
template <typename... Ts>
inline constexpr bool is_placed = detail::placed_key<results<Ts...>>;
static_assert(detail::placed_key<string_view> && detail::placed_key<pair<int, string_view>>);
static_assert(is_placed<string_view, std::optional<string_view>, std::array<char, 6>, bool>);
static_assert(!detail::placed_key<int> && !detail::placed_key<wide>, "its numbers are too long");
static_assert(!is_placed<string_view, category> && !is_placed<std::array<string_view, 4>>);

/// Bytes that tell keys apart, and are their own.
template <typename T>
void add_bytes(std::string& to, const T& part) {
  if constexpr (std::is_same_v<T, string_view>) {
    to += std::to_string(part.size()) + ':';
    to += part;
  } else if constexpr (detail::may_be_missing<T>) {
    to += part ? '1' : '0';
    if (part) add_bytes(to, *part);
  } else if constexpr (std::is_same_v<T, double>) {
    to += part != part ? "nan;" : std::to_string(part + 0.0) + ';';
  } else if constexpr (std::is_arithmetic_v<T>) {
    to += std::to_string(part) + ';';
  } else {
    detail::visit_fields<detail::field_count<T>()>(
        part, [&](const auto&... fields) { (add_bytes(to, fields), ...); });
  }
}
template <typename Key>
std::string bytes_of(const Key& key) {
  std::string bytes;
  add_bytes(bytes, key);
  return bytes;
}

constexpr auto all_rows = [](const row&) { return true; };

/// Sums of rows by a key are those of a loop.
template <typename Key, typename Keep = decltype(all_rows)>
void expect_groups(const std::vector<row>& rows, Key key, Keep keep = all_rows) {
  std::map<std::string, std::int64_t> sums;
  for (const auto& one : rows)
    if (keep(one)) sums[bytes_of(key(one))] += one.number;
  for (const auto& [threads, chunk_rows] : {pair(1, 0), pair(3, 0), pair(2, 1021)}) {
    session s(options{.threads = static_cast<unsigned>(threads), .chunk_rows = chunk_rows});
    std::map<std::string, std::int64_t> found;
    const auto add = [&](const auto& groups) {
      for (const auto& group : groups)
        EXPECT_TRUE(found.emplace(bytes_of(group.key), group.value).second);
    };
    if constexpr (std::is_same_v<Keep, decltype(all_rows)>)
      add(s.borrow(rows).group_by(key).sum(&row::number).collect());
    else
      add(s.borrow(rows).filter(keep).group_by(key).sum(&row::number).collect());
    EXPECT_TRUE(found == sums) << threads << " threads";
  }
}

constexpr auto text = [](const row& one) { return one.text; };
constexpr auto numbered = [](const row& one) {
  return pair(static_cast<int>(one.number % 7), one.text);
};
constexpr auto both = [](const row& one) { return pair(one.text, one.other); };
constexpr auto with_part = [](const row& one) { return pair(one.text, one.part); };

/// Those of a text alone, beside numbers, beside another text that may be missing, behind a filter.
void expect_all_groups(const std::vector<row>& rows) {
  expect_groups(rows, text);
  expect_groups(rows, numbered);
  expect_groups(rows, both);
  expect_groups(rows, with_part);
  expect_groups(rows, numbered, [](const row& one) { return one.number % 3 != 0; });
}

std::vector<row> rows_of(const std::vector<string_view>& texts, std::size_t n) {
  SCOPED_TRACE(texts.size());
  constexpr double parts[] = {0.0, -0.0, 1.5, std::numeric_limits<double>::quiet_NaN()};
  std::mt19937_64 random(texts.size());
  const auto drawn = [&](std::uint64_t below) { return random() % below; };
  std::vector<row> rows(n);
  for (auto& one : rows) {
    one = {texts[drawn(texts.size())], static_cast<std::int64_t>(drawn(1000)), {}, parts[drawn(4)]};
    if (drawn(4) != 0) one.other = texts[drawn(std::min<std::size_t>(texts.size(), 5))];
  }
  return rows;
}

TEST(met_keys, may_begin_at_the_same_byte_or_end_there) {
  const std::string all = "abcdefghijklmnopqrstuvwxyz";
  std::vector<string_view> texts{string_view()};
  for (std::size_t first = 0; first < 3; ++first)
    for (std::size_t n = 0; n < 20; ++n) texts.push_back(string_view(all).substr(first, n));
  for (const std::size_t n : {0, 1, 64, 8191, 30'000}) expect_all_groups(rows_of(texts, n));
}

TEST(met_keys, may_be_equal_at_many_places) {
  const std::string spread(5000, 'a');
  std::vector<string_view> texts;
  for (std::size_t first = 0; first < 4000; ++first)
    texts.push_back(string_view(spread).substr(first, 1 + first % 3));
  expect_all_groups(rows_of(texts, 30'000));
  texts.resize(9);
  expect_all_groups(rows_of(texts, 30'000));
}

TEST(met_keys, may_have_zeros_and_be_long) {
  const std::string zeros("\0\0a\0\xFF\0\0\0", 8), long_ones(300, 'x');
  std::vector<string_view> texts;
  for (std::size_t n = 0; n <= zeros.size(); ++n) texts.push_back(string_view(zeros).substr(0, n));
  for (std::size_t n : {12, 13, 14, 15, 16, 17, 100, 299, 300})
    texts.push_back(string_view(long_ones).substr(0, n));
  expect_all_groups(rows_of(texts, 30'000));
}

/// Some are fields, others functions of the record that make text anew.
TEST(met_keys, may_be_given_by_pointers_to_members) {
  struct named {
    string_view text;
    int number;
    string_view letter() const {
      thread_local std::array<char, 1> made;
      made[0] = static_cast<char>('a' + number % 26);
      return {made.data(), 1};
    }
  };
  const string_view few[] = {"one", "two", "", "a text that is longer than a slot"};
  std::vector<named> rows(30'000);
  std::map<std::string, std::int64_t> fields, functions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {few[i * 7919 % 4], static_cast<int>(i % 31)};
    ++fields[bytes_of(pair(rows[i].text, rows[i].number))];
    ++functions[bytes_of(pair(rows[i].text, rows[i].letter()))];
  }
  session s(options{.threads = 2});
  std::map<std::string, std::int64_t> found;
  for (const auto& group : s.borrow(rows).group_by(&named::text, &named::number).count().collect())
    found[bytes_of(group.key)] = group.value;
  EXPECT_TRUE(found == fields);
  found.clear();
  for (const auto& group : s.borrow(rows).group_by(&named::text, &named::letter).count().collect())
    found[bytes_of(group.key)] = group.value;
  EXPECT_TRUE(found == functions);
}

/// In turn, so that the table grows while others that were met are added to.
TEST(met_keys, may_be_joined_by_ever_more) {
  std::vector<std::string> others;
  for (int i = 0; i < 30'000; ++i)
    others.push_back(std::to_string(i * 7919) + std::string(static_cast<std::size_t>(i % 20), '-'));
  const string_view few[] = {"one", "two", "a text that is longer than a slot", ""};
  std::vector<row> rows;
  for (const std::size_t of_one : {9, 40}) {  // rows; of the latter most are known
    rows.clear();
    for (std::size_t i = 0; i < others.size() && rows.size() < 270'000; ++i)
      for (std::size_t j = 0; j < of_one; ++j)
        rows.push_back({j == 0 ? string_view(others[i]) : few[j % 4],
                        static_cast<std::int64_t>(i % 100),
                        {},
                        0});
    expect_groups(rows, text);
    expect_groups(rows, numbered);
  }
}

/// Blocks of few texts after blocks of many.
TEST(met_keys, may_be_few_here_and_many_there) {
  std::vector<std::string> many;
  for (int i = 0; i < 5000; ++i) many.push_back("text " + std::to_string(i));
  std::vector<row> rows;
  for (std::size_t i = 0; i < 400'000; ++i)
    rows.push_back({many[i / 50'000 % 2 == 0 ? i % 7 : i * 31 % 5000], 1, {}, 0});
  expect_groups(rows, text);
  expect_groups(rows, numbered);
}

TEST(met_keys, may_be_numbers_of_64_bits_beside_text) {
  const string_view texts[] = {"a", "b"};
  std::vector<row> rows;
  for (std::uint64_t i = 0; i < 30'000; ++i)
    rows.push_back({texts[i % 2], static_cast<std::int64_t>(i % 8 << 61 | i % 3), {}, 0});
  expect_groups(rows, [](const row& one) { return pair(one.text, one.number); });
  expect_groups(rows, [](const row& one) { return wide{one.text, one.number, -one.number / 2}; });
}

TEST(met_keys, may_be_parts_of_texts) {
  const std::string all = "left,right,middle,,x";
  std::vector<string_view> texts;
  for (std::size_t n = 1; n < all.size(); ++n) texts.push_back(string_view(all).substr(n / 2, n));
  const auto half = [](const row& one) {
    return pair(one.text.substr(one.text.size() / 2), one.text.substr(0, one.text.size() / 3));
  };
  expect_groups(rows_of(texts, 30'000), half);
}

/// One text after the other in the same bytes.
TEST(met_keys, may_be_made_anew_for_each_row) {
  std::vector<row> rows(30'000);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = {i % 2 == 0 ? "even" : "odd", static_cast<std::int64_t>(i * 7919 % 1000), {}, 0};
  expect_groups(rows, [](const row& one) {
    thread_local std::array<char, 1> letter;
    letter[0] = static_cast<char>('a' + one.number % 26);
    return pair(one.number % 2 == 0, string_view(letter.data(), 1));
  });
}

TEST(met_keys, may_be_characters_of_records) {
  struct coded {
    std::array<char, 3> code;
    string_view text;
    std::int64_t number;
  };
  std::vector<coded> rows(30'000);
  std::map<std::string, std::int64_t> sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto letter = static_cast<char>('a' + i * 7919 % 26);
    rows[i] = {{letter, 'x', letter}, i % 2 == 0 ? "even" : "odd", 1};
    sums[std::string(rows[i].code.data(), 3) + std::string(rows[i].text)] += 1;
  }
  const auto key = [](const coded& one) {
    return pair(string_view(one.code.data(), one.code.size()), one.text);
  };
  session s(options{.threads = 2});
  const auto doubled = s.borrow(rows).map([](coded one) {
    one.number *= 2;
    return one;
  });
  const auto expect_sums = [&](const auto& groups, std::int64_t times) {
    ASSERT_EQ(groups.size(), sums.size());
    for (const auto& group : groups)
      EXPECT_EQ(group.value,
                times * sums.at(std::string(group.key.first) + std::string(group.key.second)));
  };
  expect_sums(s.borrow(rows).group_by(key).sum(&coded::number).collect(), 1);
  expect_sums(doubled.group_by(key).sum(&coded::number).collect(), 2);
}

}  // namespace
}  // namespace pappus::met_keys
