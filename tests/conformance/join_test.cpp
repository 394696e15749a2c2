#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

struct order {
  std::int64_t customer, amount;
};
struct customer {
  std::int64_t id, discount;
};
struct sale {
  std::int64_t customer, amount, discount;
};

sale combine(const order& o, const customer& c) { return {o.customer, o.amount, c.discount}; }

std::vector<order> orders(random& r, std::int64_t n, std::int64_t low, std::int64_t high) {
  std::vector<order> rows;
  for (std::int64_t i = 0; i < n; ++i) rows.push_back({r.between(low, high), i});
  return rows;
}

/// Right rows by key, in row order.
template <typename Right, typename Key>
auto rows_by_key(const std::vector<Right>& right, Key key) {
  std::unordered_map<std::remove_cvref_t<std::invoke_result_t<Key, const Right&>>,
                     std::vector<Right>>
      rows;
  for (const auto& row : right) rows[std::invoke(key, row)].push_back(row);
  return rows;
}

std::vector<sale> reference(const std::vector<order>& left, const std::vector<customer>& right) {
  const auto rows = rows_by_key(right, &customer::id);
  std::vector<sale> pairs;
  for (const auto& o : left)
    if (const auto found = rows.find(o.customer); found != rows.end())
      for (const auto& c : found->second) pairs.push_back(combine(o, c));
  return pairs;
}

PAPPUS_UNHURRIED void check(const std::vector<order>& left, const std::vector<customer>& right) {
  expect_rows(reference(left, right), [&](session& s) {
    return s.from(left).join(s.from(right), &order::customer, &customer::id, fn<combine>);
  });
}

TEST(join, yields_pairs_in_left_then_right_order_at_all_sizes) {
  random r(1);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    std::vector<customer> right;
    for (std::int64_t i = 0; i < n / 2; ++i) right.push_back({r.between(0, n), i});
    check(orders(r, n, 0, n), right);
  }
}

TEST(join, handles_sides_without_rows_or_matches) {
  random r(2);
  const auto left = orders(r, 5000, 0, 100);
  check(left, {});
  check({}, {{1, 2}});
  check(left, {{1000, 1}, {-1, 2}, {1001, 3}});
}

TEST(join, finds_keys_at_the_ends_of_their_type) {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  check({{low, 1}, {high, 2}, {0, 3}, {-1, 4}}, {{high, 5}, {-1, 6}, {low, 7}, {high, 8}});
  check({{low, 1}, {high, 2}, {high - 1, 3}}, {{high - 1, 1}, {high, 2}});
}

TEST(join, recognises_consecutive_keys_wherever_they_begin) {
  random r(3);
  for (const std::int64_t base : {std::int64_t{0}, std::int64_t{-500}, std::int64_t{1} << 40}) {
    std::vector<customer> right;
    for (std::int64_t i = 0; i < 1000; ++i) right.push_back({base + i, r.between(0, 99)});
    check(orders(r, up_to(20'000), base - 10, base + 1010), right);
    check(orders(r, up_to(20'000), base, base + 999), right);
  }
}

TEST(join, copes_with_one_key_that_matches_nearly_everything) {
  random r(4);
  auto left = orders(r, up_to(3000) / 10, 0, 3);
  std::vector<customer> right;
  for (std::int64_t i = 0; i < up_to(3000); ++i) right.push_back({i % 100 == 0 ? 1 : 2, i});
  check(left, right);
}

TEST(join, gives_the_same_with_a_known_domain) {
  random r(5);
  for (const std::int64_t k : {1, 50, 1000, 1'000'000}) {
    std::vector<customer> right;
    for (std::int64_t i = 0; i < up_to(3000); ++i)
      right.push_back({r.between(0, std::min<std::int64_t>(k, 2000) - 1), i});
    const auto left = orders(r, up_to(5000), -5, 2005);
    expect_rows(reference(left, right), [&](session& s) {
      return s.from(left).join(s.from(right), &order::customer, &customer::id, fn<combine>,
                               domain{k});
    });
  }
}

TEST(join, names_the_row_whose_key_lies_outside_the_domain) {
  session s;
  const std::vector<order> left{{1, 1}};
  const std::vector<customer> right{{1, 1}, {7, 2}, {2, 3}};
  const auto pairs =
      s.from(left).join(s.from(right), &order::customer, &customer::id, fn<combine>, domain{5});
  try {
    pairs.collect();
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(),
                 "join: row 1 of the right side has the key 7, expected keys in the domain 0 to 4; "
                 "widen the domain or join without one");
  }
  EXPECT_THROW(
      s.from(left).join(s.from(right), &order::customer, &customer::id, fn<combine>, domain{-1}),
      usage_error);
}

TEST(join, fuses_with_what_comes_before_and_after) {
  random r(6);
  const auto left = orders(r, up_to(70'000), 0, 800);
  std::vector<customer> right;
  for (std::int64_t i = 0; i < 900; ++i) right.push_back({r.between(0, 600), i});
  std::int64_t expected = 0, pairs = 0;
  std::vector<order> kept;
  for (const auto& o : left)
    if (o.amount % 3 == 0) kept.push_back({o.customer + 1, o.amount});
  for (const auto& p : reference(kept, right))
    if (p.discount % 2 == 0) expected += p.amount * p.discount, ++pairs;
  const auto query = [&](session& s) {
    return s.from(left)
        .filter([](const order& o) { return o.amount % 3 == 0; })
        .map([](const order& o) { return order{o.customer + 1, o.amount}; })
        .join(s.from(right).filter([](const customer&) { return true; }), &order::customer,
              &customer::id, fn<combine>)
        .filter([](const sale& p) { return p.discount % 2 == 0; });
  };
  expect_value(expected, [&](session& s) {
    return query(s).sum([](const sale& p) { return p.amount * p.discount; });
  });
  expect_value(pairs, [&](session& s) { return query(s).count(); });
}

TEST(join, can_follow_a_join) {
  random r(7);
  const auto left = orders(r, up_to(5000), 0, 50);
  std::vector<customer> right;
  for (std::int64_t i = 0; i < 100; ++i) right.push_back({r.between(0, 60), i});
  std::vector<sale> expected;
  for (const auto& p : reference(left, right))
    for (const auto& c : right)
      if (c.id == p.discount) expected.push_back({p.customer, p.amount, c.discount});
  expect_rows(expected, [&](session& s) {
    const auto customers = s.from(right);
    return s.from(left)
        .join(customers, &order::customer, &customer::id, fn<combine>)
        .join(customers, &sale::discount, &customer::id, [](const sale& p, const customer& c) {
          return sale{p.customer, p.amount, c.discount};
        });
  });
}

TEST(join, matches_nan_with_nan_and_both_zeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> left{nan, 0.0, -0.0, 1.0, INFINITY, -nan}, right{-0.0, nan, INFINITY};
  const std::vector<pair<int, int>> expected{{0, 1}, {1, 0}, {2, 0}, {4, 2}, {5, 1}};
  expect_rows(expected, [&](session& s) {
    const auto key = [](const indexed<double>& x) { return x.value; };
    return s.from(left).enumerate().join(s.from(right).enumerate(), key, key,
                                         [](const indexed<double>& a, const indexed<double>& b) {
                                           return pair<int, int>{static_cast<int>(a.index),
                                                                 static_cast<int>(b.index)};
                                         });
  });
}

TEST(join, takes_keys_of_any_width) {
  struct item {
    std::uint8_t small;
    float middle;
    std::array<std::int64_t, 2> large;
    int number;
  };
  random r(8);
  std::vector<item> left, right;
  for (int i = 0; i < up_to(3000); ++i) {
    const auto make = [&] {
      const auto x = r.between(0, 200);
      return item{static_cast<std::uint8_t>(x), static_cast<float>(x) / 3, {x, -x}, i};
    };
    left.push_back(make());
    if (i % 10 == 0) right.push_back(make());
  }
  std::vector<pair<int, int>> expected;
  for (const auto& a : left)
    for (const auto& b : right)
      if (a.small == b.small) expected.push_back({a.number, b.number});
  const auto joined = [&](auto key) {
    expect_rows(expected, [&](session& s) {
      return s.from(left).join(s.from(right), key, key, [](const item& a, const item& b) {
        return pair<int, int>{a.number, b.number};
      });
    });
  };
  joined(&item::small);
  joined(&item::middle);
  joined(&item::large);
}

struct listed_word {
  std::string_view text;
  std::int64_t number;
};

std::vector<listed_word> words(random& r, const std::vector<std::string>& dictionary,
                               std::int64_t n) {
  std::vector<listed_word> rows;
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back({dictionary[static_cast<std::size_t>(
                        r.between(0, static_cast<std::int64_t>(dictionary.size()) - 1))],
                    i});
  return rows;
}

TEST(join, compares_strings_by_content) {
  random r(9);
  std::vector<std::string> dictionary{"", "a", std::string(1, '\0'), std::string(2, '\0')};
  for (int i = 0; i < 300; ++i) dictionary.push_back("word number " + std::to_string(i));
  for (int i = 0; i < 30; ++i) dictionary.push_back(std::string(static_cast<std::size_t>(i), 'x'));
  const auto copy = dictionary;  // other addresses
  const auto left = words(r, dictionary, 3000), right = words(r, copy, 400);
  std::vector<pair<std::int64_t, std::int64_t>> expected;
  for (const auto& a : left)
    for (const auto& b : right)
      if (a.text == b.text) expected.push_back({a.number, b.number});
  expect_rows(expected, [&](session& s) {
    return s.from(left).join(s.from(right), &listed_word::text, &listed_word::text,
                             [](const listed_word& a, const listed_word& b) {
                               return pair<std::int64_t, std::int64_t>{a.number, b.number};
                             });
  });
}

TEST(left_join, passes_null_where_nothing_matches) {
  random r(10);
  const auto left = orders(r, up_to(9000), 0, 300);
  for (const bool dense : {false, true}) {
    std::vector<customer> right;
    for (std::int64_t i = 0; i < 200; ++i) right.push_back({dense ? i : r.between(0, 200), i});
    const auto rows = rows_by_key(right, &customer::id);
    std::vector<sale> expected;
    for (const auto& o : left) {
      const auto found = rows.find(o.customer);
      if (found == rows.end()) {
        expected.push_back({o.customer, o.amount, -1});
      } else {
        for (const auto& c : found->second) expected.push_back(combine(o, c));
      }
    }
    expect_rows(expected, [&](session& s) {
      return s.from(left).left_join(s.from(right), &order::customer, &customer::id,
                                    [](const order& o, const customer* c) {
                                      return sale{o.customer, o.amount, c ? c->discount : -1};
                                    });
    });
  }
}

TEST(semi_and_anti_join, split_the_left_side_in_order) {
  random r(11);
  const auto left = orders(r, up_to(9000), 0, 300);
  std::vector<customer> right;
  for (std::int64_t i = 0; i < 200; ++i) right.push_back({r.between(0, 250), i});
  const auto rows = rows_by_key(right, &customer::id);
  std::vector<order> with, without;
  for (const auto& o : left) (rows.contains(o.customer) ? with : without).push_back(o);
  expect_rows(with, [&](session& s) {
    return s.from(left).semi_join(s.from(right), &order::customer, &customer::id);
  });
  expect_rows(without, [&](session& s) {
    return s.from(left).anti_join(s.from(right), &order::customer, &customer::id);
  });
  expect_rows(left, [&](session& s) {
    return s.from(left).anti_join(s.from(std::vector<customer>{}), &order::customer, &customer::id);
  });
}

TEST(join, keeps_strings_of_the_right_side_alive) {
  session s;
  const std::vector<order> left{{1, 10}};
  std::vector<listed_word> right{{"one", 1}};
  const auto pairs = s.from(left).join(s.from(right), &order::customer, &listed_word::number,
                                       [](const order&, const listed_word& w) { return w; });
  const auto rows = pairs.collect();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text, "one");
}

TEST(join, stops_soon_after_cancel_even_when_one_row_matches_millions) {
  constexpr unsigned threads = 2;
  session s(options{.threads = threads});
  const std::vector<int> zeros(200'000, 0);
  const auto key = [](int x) { return x; };
  std::atomic<std::size_t> calls{0};
  std::atomic<bool> stopped{false};
  const auto pairs = s.from(zeros).join(s.from(zeros), key, key, [&](int a, int b) {
    if (++calls == 1) {
      s.cancel();
      stopped = true;
      stopped.notify_all();
    }
    stopped.wait(false);
    return a + b;
  });
  EXPECT_THROW(pairs.filter([](int x) { return x != 0; }).collect(), cancelled);
  // Of 4e10 pairs those that were under way.
  EXPECT_LE(calls.load(), threads * detail::join_batch::rows_max);
}

TEST(join, passes_on_what_the_function_throws) {
  session s(options{.threads = 2});
  random r(12);
  const auto left = orders(r, 5000, 0, 10);
  const std::vector<customer> right{{3, 1}};
  const auto pairs = s.from(left).join(s.from(right), &order::customer, &customer::id,
                                       [](const order& o, const customer&) -> std::int64_t {
                                         if (o.amount > 4000) throw std::out_of_range("too much");
                                         return o.amount;
                                       });
  EXPECT_THROW(pairs.sum().get(), std::out_of_range);
}

TEST(join, refuses_a_right_side_beyond_the_budget) {
  session s(options{.threads = 1, .host_memory = std::size_t{64} << 20});
  const auto keys = s.range<std::int64_t>(0, 100'000'000);
  const auto same = [](std::int64_t x) { return x; };
  const auto pairs = keys.join(keys, same, same, [](std::int64_t a, std::int64_t) { return a; });
  EXPECT_THROW(pairs.count().get(), memory_error);
}

}  // namespace
}  // namespace pappus::testing
