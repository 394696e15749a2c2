// Keys with text in them, or of more than 16 bytes: how they are packed, and groups of them.
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

using detail::key_packer;
using detail::key_unpacker;
using detail::packed_key;

struct stop {
  std::string_view town;
  std::int16_t track;
};
struct trip {
  stop from;
  double hour;
  std::array<std::string_view, 2> by;
  pair<std::uint64_t, std::int8_t> number;
};
struct pointing {
  const char* name;
};
static_assert(packed_key<stop> && packed_key<trip> && packed_key<std::array<std::int64_t, 3>>);
static_assert(packed_key<results<std::string_view, int, std::string_view>>);
static_assert(!packed_key<std::string_view> && !packed_key<pair<int, float>>, "they are smaller");
static_assert(!packed_key<pointing> && !packed_key<pair<std::string_view, pointing>>);
static_assert(!packed_key<std::string> && !packed_key<pair<std::string_view, const char*>>);

/// Few different ones, of which some begin others, with the bytes that packing looks at.
std::string_view drawn_text(random& random) {
  static const std::vector<std::string> some = [] {
    std::vector<std::string> made{"", "a", "ab", "b", "long enough for no short string"};
    const std::string zero(1, '\0'), ones("\xFF");
    for (const auto& end : {zero, zero + zero, zero + ones, zero + "a", ones, ones + zero})
      for (const std::string begin : {"", "a", "ab"}) made.push_back(begin + end);
    return made;
  }();
  return some[static_cast<std::size_t>(random.between(0, std::ssize(some) - 1))];
}
double drawn_hour(random& random) {
  const double some[] = {0.0, -0.0, -1.5, 3, std::numeric_limits<double>::quiet_NaN(), 1e300};
  return some[random.between(0, 5)];
}
trip drawn_trip(random& random) {
  return {{drawn_text(random), static_cast<std::int16_t>(random.between(-2, 2))},
          drawn_hour(random),
          {drawn_text(random), drawn_text(random)},
          {static_cast<std::uint64_t>(random.between(0, 2)) << 62,
           static_cast<std::int8_t>(random.between(-128, -126))}};
}

/// -1, 0 or 1, field by field.
template <typename T>
int compared(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
int compared(double a, double b) {
  if (a != a || b != b) return (a != a) - (b != b);
  return a < b ? -1 : b < a ? 1 : 0;
}
int compared(const trip& a, const trip& b) {
  for (const int order :
       {compared(a.from.town, b.from.town), compared(a.from.track, b.from.track),
        compared(a.hour, b.hour), compared(a.by[0], b.by[0]), compared(a.by[1], b.by[1]),
        compared(a.number.first, b.number.first), compared(a.number.second, b.number.second)})
    if (order != 0) return order;
  return 0;
}

std::string packed(const trip& key) {
  std::string bytes(key_packer::bytes_max(key), '?');
  const auto used = key_packer::pack(key, bytes.data()).size();
  EXPECT_LE(used, bytes.size());
  bytes.resize(used);
  return bytes;
}

TEST(packed_keys, have_the_order_of_their_fields_and_come_back) {
  random random(91);
  int equal = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto a = drawn_trip(random);
    auto b = random.between(0, 3) == 0 ? drawn_trip(random) : a;
    if (random.between(0, 1) == 0) b.by[1] = drawn_text(random);
    if (random.between(0, 3) == 0) b.from.town = drawn_text(random);
    const auto bytes_of_a = packed(a), bytes_of_b = packed(b);
    const int order = bytes_of_a.compare(bytes_of_b);
    ASSERT_EQ(order < 0 ? -1 : order > 0, compared(a, b)) << "round " << round;
    equal += order == 0;
    const auto back = key_unpacker::unpack<trip>(bytes_of_a);
    ASSERT_EQ(compared(back, a), 0) << "round " << round;
    for (const auto text : {back.from.town, back.by[0], back.by[1]})
      ASSERT_TRUE(text.data() >= bytes_of_a.data() &&
                  text.data() + text.size() <= bytes_of_a.data() + bytes_of_a.size());
  }
  EXPECT_GT(equal, 1000);
}

using name_and_number = pair<std::array<char, 20>, std::int8_t>;
static_assert(packed_key<name_and_number> && packed_key<std::array<char, 20>>);

/// Text with zeros behind it, and zeros before characters of either sign.
name_and_number drawn_name(random& random) {
  name_and_number made{};
  const char some[] = {0, 0, 0, 'a', 'b', 1, -1, -128};
  const auto letters = random.between(0, 20);
  const bool text = random.between(0, 1) == 0;
  for (std::int64_t i = 0; i < letters; ++i)
    made.first[static_cast<std::size_t>(i)] = text ? 'a' : some[random.between(0, 7)];
  made.second = static_cast<std::int8_t>(random.between(-1, 0));
  return made;
}

TEST(packed_keys, of_characters_have_their_order_and_come_back) {
  random random(97);
  const auto packed_name = [](const name_and_number& key) {
    std::string bytes(key_packer::bytes_max(key), '?');
    bytes.resize(key_packer::pack(key, bytes.data()).size());
    return bytes;
  };
  int equal = 0;
  for (int round = 0; round < 50'000; ++round) {
    const auto a = drawn_name(random);
    auto b = random.between(0, 1) == 0 ? drawn_name(random) : a;
    if (random.between(0, 2) == 0)
      b.first[static_cast<std::size_t>(random.between(0, 19))] =
          static_cast<char>(random.between(-1, 1));
    const auto bytes_of_a = packed_name(a), bytes_of_b = packed_name(b);
    const int order = bytes_of_a.compare(bytes_of_b);
    const int expected =
        a.first != b.first ? compared(a.first, b.first) : compared(a.second, b.second);
    ASSERT_EQ(order < 0 ? -1 : order > 0, expected) << "round " << round;
    equal += order == 0;
    ASSERT_EQ(key_unpacker::unpack<name_and_number>(bytes_of_a), a) << "round " << round;
  }
  EXPECT_GT(equal, 1000);
  name_and_number some{{}, 3};
  EXPECT_EQ(packed_name(some).size(), 4u) << "short text makes a short key";
}

struct ride {
  std::string_view from, to;
  std::int32_t day;
  std::int64_t number;
  double price;
};

/// Towns with zeros in their names are among them.
class rides {
 public:
  rides(random& random, std::int64_t n, int towns) {
    for (int i = 0; i < towns; ++i)
      names_.push_back((i % 7 == 0 ? std::string("a\0b", 3) : "a town called ") +
                       std::to_string(i * 7919 % towns));
    const auto town = [&]() -> std::string_view {
      return names_[static_cast<std::size_t>(random.between(0, towns - 1))];
    };
    for (std::int64_t i = 0; i < n; ++i)
      rows.push_back({town(), town(), static_cast<std::int32_t>(random.between(-3, 3)),
                      random.between(0, 1) << 40,
                      0.25 * static_cast<double>(random.between(-1000, 1000))});
  }
  std::vector<ride> rows;

 private:
  std::vector<std::string> names_;
};

/// Numbers of rows and sums of prices.
template <typename Key, typename KeyOf>
std::map<Key, std::pair<std::int64_t, double>> by_hand(const std::vector<ride>& rows, KeyOf key) {
  std::map<Key, std::pair<std::int64_t, double>> groups;
  for (const auto& r : rows) {
    auto& [n, sum] = groups[key(r)];
    ++n;
    sum += r.price;
  }
  return groups;
}

/// Rows are those of a map, in its order.
/// \param is  is(row, key, value of the map)
template <typename Rows, typename Groups, typename Is>
void expect_groups(const Rows& got, const Groups& expected, Is is) {
  ASSERT_EQ(got.size(), expected.size());
  std::size_t next = 0;
  for (const auto& [key, value] : expected) {
    ASSERT_TRUE(is(got[next], key, value)) << "row " << next;
    ++next;
  }
}

TEST(group_by, several_keys_is_that_of_a_loop) {
  random random(92);
  for (const int towns : {5, 300})
    for (const auto n : {0, 1, 17, 4097, up_to(65'537)}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << towns << " towns");
      const rides made(random, n, towns);
      using key = std::tuple<std::string_view, std::string_view, std::int32_t>;
      const auto expected =
          by_hand<key>(made.rows, [](const ride& r) { return key{r.from, r.to, r.day}; });
      for (const auto& setting : settings()) {
        SCOPED_TRACE(setting);
        session s(setting.as_options());
        const auto got = s.borrow(made.rows)
                             .group_by(&ride::from, &ride::to, &ride::day)
                             .aggregate(count(), sum(&ride::price))
                             .collect();
        expect_groups(got, expected, [](const auto& row, const key& of, const auto& n_and_sum) {
          const auto& [from, to, day] = row.key;
          const auto& [n, total] = row.value;
          return key(from, to, day) == of && std::pair{n, total} == n_and_sum;
        });
      }
    }
}

TEST(group_by, several_numbers_is_on_devices_what_it_is_on_the_cpu) {
  random random(93);
  const rides made(random, up_to(70'001), 3);
  using key = std::tuple<std::int32_t, std::int64_t>;
  const auto expected = by_hand<key>(made.rows, [](const ride& r) { return key{r.day, r.number}; });
  struct numbers {
    std::int32_t day;
    std::int64_t number;
    double price;
  };
  std::vector<numbers> rows;
  for (const auto& r : made.rows) rows.push_back({r.day, r.number, r.price});
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got =
        s.borrow(rows).group_by(&numbers::day, &numbers::number).sum(&numbers::price).collect();
    expect_groups(got, expected, [](const auto& row, const key& of, const auto& n_and_sum) {
      return key{get<0>(row.key), get<1>(row.key)} == of && row.value == n_and_sum.second;
    });
    expect_no_failures(s);
  }
}

TEST(group_by, keys_of_more_than_16_bytes_is_that_of_a_loop) {
  random random(94);
  const rides made(random, up_to(70'001), 40);
  using wide = std::array<std::int64_t, 3>;
  const auto key = [](const ride& r) {
    return wide{r.day, r.number, static_cast<std::int64_t>(r.from.size())};
  };
  const auto expected = by_hand<wide>(made.rows, key);
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = s.borrow(made.rows).group_by(key).sum(&ride::price).collect();
    expect_groups(got, expected, [](const auto& row, const wide& of, const auto& n_and_sum) {
      return row.key == of && row.value == n_and_sum.second;
    });
  }
}

TEST(map_groups, of_several_keys_has_each_group_once) {
  random random(95);
  const rides made(random, up_to(30'011), 60);
  using key = std::tuple<std::string_view, std::int32_t>;
  const auto expected = by_hand<key>(made.rows, [](const ride& r) { return key{r.to, r.day}; });
  struct route {
    std::string_view to;
    std::int32_t day;
    double price;
  };
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = s.borrow(made.rows)
                         .group_by(&ride::to, &ride::day)
                         .map_groups([](const results<std::string_view, std::int32_t>& of,
                                        std::span<const ride> rows) {
                           double sum = 0;
                           for (const auto& r : rows) sum += r.price;
                           return route{get<0>(of), get<1>(of), sum};
                         })
                         .collect();
    expect_groups(got, expected, [](const route& row, const key& of, const auto& n_and_sum) {
      return key(row.to, row.day) == of && row.price == n_and_sum.second;
    });
  }
}

TEST(distinct, of_records_with_text_has_each_once) {
  random random(96);
  const rides made(random, up_to(30'011), 60);
  using route = pair<std::string_view, std::string_view>;
  std::map<std::tuple<std::string_view, std::string_view>, int> expected;
  for (const auto& r : made.rows) expected[{r.from, r.to}] = 0;
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    const auto got = s.borrow(made.rows)
                         .map([](const ride& r) { return route{r.from, r.to}; })
                         .distinct()
                         .collect();
    expect_groups(got, expected, [](const route& row, const auto& of, int) {
      return std::tuple(row.first, row.second) == of;
    });
  }
}

TEST(group_by, text_that_is_longer_than_blocks_of_packed_keys) {
  std::vector<std::string> names;
  for (const std::size_t length : {0, 1, 5000, 16'380, 16'384, 16'385, 100'000, 300'000})
    for (const char c : {'x', '\0'}) names.emplace_back(length, c);
  std::vector<ride> rows;
  for (int i = 0; i < 3000; ++i) {
    const auto& name = names[static_cast<std::size_t>(i * 7919 % std::ssize(names))];
    rows.push_back({name, i % 50 == 0 ? std::string_view(names.back()) : "to", i % 2, 0, 1});
  }
  using key = std::tuple<std::string_view, std::string_view, std::int32_t>;
  const auto expected = by_hand<key>(rows, [](const ride& r) { return key{r.from, r.to, r.day}; });
  for (const unsigned threads : {1, 3}) {
    session s({.threads = threads, .devices = "cpu"});
    const auto got = s.borrow(rows).group_by(&ride::from, &ride::to, &ride::day).count().collect();
    expect_groups(got, expected, [](const auto& row, const key& of, const auto& n_and_sum) {
      const auto& [from, to, day] = row.key;
      return key(from, to, day) == of && row.value == n_and_sum.first;
    });
  }
}

}  // namespace
}  // namespace pappus::testing
