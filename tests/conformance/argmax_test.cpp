// argmax and argmin, against references: as one number where value and arg take 64 bits at most,
// and compared where they don't.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

using reducers::argmax;
using reducers::argmin;

template <typename State>
inline constexpr bool is_one_number = sizeof(State) == 8;
static_assert(is_one_number<argmax<float, std::int32_t>>);
static_assert(is_one_number<argmin<std::int32_t, std::int16_t>>);
static_assert(!is_one_number<argmax<std::int32_t, std::int32_t>>, "there must be one for none");
static_assert(!is_one_number<argmax<double, bool>>);

static_assert(detail::text_of<argmax<float, int>>() == detail::text_in::none);
static_assert(detail::text_of<argmin<double, std::int64_t>>() == detail::text_in::none);
static_assert(detail::text_of<argmax<float, std::string_view>>() != detail::text_in::none);

template <typename T>
T drawn(random& random) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return random.between(0, 1) == 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T some[] = {limits::quiet_NaN(), T{-0.0},          T{0},    limits::infinity(),
                      -limits::infinity(), limits::lowest(), T{-1.5}, T{3}};
    // NaN now and then only: it is greater than all others.
    return some[random.between(random.between(0, 40) == 0 ? 0 : 1, 7)];
  } else {
    const T some[] = {limits::min(), limits::max(), T{0}, T{3}, static_cast<T>(-1)};
    return some[random.between(0, 4)];
  }
}

template <typename T>
bool comes_before(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(b)) return !std::isnan(a);
  return a < b;
}
template <typename T>
bool are_equal(const T& a, const T& b) {
  return !comes_before(a, b) && !comes_before(b, a);
}

template <typename Value, typename Arg>
using found_extreme = reducers::extreme<Value, Arg>;

/// The first that none comes before: by value, then by arg.
template <bool Greatest, typename Value, typename Arg>
found_extreme<Value, Arg> reference(const std::vector<found_extreme<Value, Arg>>& seen) {
  return *std::ranges::min_element(seen, [](const auto& a, const auto& b) {
    if (!are_equal(a.value, b.value))
      return Greatest ? comes_before(b.value, a.value) : comes_before(a.value, b.value);
    return comes_before(a.arg, b.arg);
  });
}

/// Cut anywhere, and pieces merged in any order.
template <typename State, typename Value, typename Arg>
State reduced(random& random, const std::vector<found_extreme<Value, Arg>>& seen) {
  std::vector<State> states(static_cast<std::size_t>(random.between(1, 9)));
  const auto any_state = [&]() -> State& {
    return states[static_cast<std::size_t>(random.between(0, std::ssize(states) - 1))];
  };
  for (const auto& [value, arg] : seen)
    if (random.between(0, 1) == 0)
      any_state().accumulate(value, arg);
    else
      any_state().accumulate(pair<Value, Arg>{value, arg});
  State all;
  for (const State& one : states) all.merge(one);
  return all;
}

template <typename Value, typename Arg>
void expect_any_order() {
  SCOPED_TRACE((detail::type_name<argmax<Value, Arg>>()));
  random random(71);
  for (int round = 0; round < 300; ++round) {
    std::vector<found_extreme<Value, Arg>> seen(static_cast<std::size_t>(random.between(1, 30)));
    for (auto& [value, arg] : seen) {
      value = drawn<Value>(random);
      arg = drawn<Arg>(random);
    }
    const auto most = reduced<argmax<Value, Arg>>(random, seen).finalize();
    const auto least = reduced<argmin<Value, Arg>>(random, seen).finalize();
    const auto expected_most = reference<true>(seen), expected_least = reference<false>(seen);
    ASSERT_TRUE(are_equal(most.value, expected_most.value)) << "round " << round;
    ASSERT_TRUE(are_equal(most.arg, expected_most.arg)) << "round " << round;
    ASSERT_TRUE(are_equal(least.value, expected_least.value)) << "round " << round;
    ASSERT_TRUE(are_equal(least.arg, expected_least.arg)) << "round " << round;
  }
}

TEST(argmax, is_the_same_whatever_the_order) {
  expect_any_order<float, std::int32_t>();
  expect_any_order<float, std::uint8_t>();
  expect_any_order<float, float>();
  expect_any_order<std::int32_t, std::int16_t>();
  expect_any_order<std::int8_t, std::int32_t>();
  expect_any_order<std::uint16_t, bool>();
  expect_any_order<bool, std::int32_t>();
  expect_any_order<std::int32_t, std::int32_t>();
  expect_any_order<double, std::int32_t>();
  expect_any_order<std::int64_t, std::int64_t>();
  expect_any_order<double, double>();
}

TEST(argmax, says_what_it_is) {
  EXPECT_TRUE((detail::is_commutative<argmax<float, std::int32_t>>));
  EXPECT_TRUE((detail::is_commutative<argmin<std::int64_t, std::int32_t>>));
  EXPECT_FALSE((detail::is_commutative<argmax<double, std::int32_t>>));  // it keeps -0.0
  EXPECT_TRUE((detail::is_exact<argmax<double, std::int32_t>>));
}

TEST(argmax, of_nothing_is_refused_unless_it_was_given_some) {
  using ::testing::ThrowsMessage;
  EXPECT_THAT(([] { argmax<float, int>().finalize(); }),
              ThrowsMessage<usage_error>("argmax: expected at least one value, got none"));
  EXPECT_THAT(([] { argmin<double, int>().finalize(); }),
              ThrowsMessage<usage_error>("argmin: expected at least one value, got none"));
  argmax<float, int> best(-2, -1);
  EXPECT_EQ(best.finalize(), (found_extreme<float, int>{-2, -1}));
  best.accumulate(-1, 7);
  EXPECT_EQ(best.finalize(), (found_extreme<float, int>{-1, 7}));
}

struct unordered {
  int number;
};
TEST(argmax, is_the_first_of_equals_where_args_have_no_order) {
  argmax<int, unordered> best;
  for (const int number : {4, 2, 9}) best.accumulate(number / 4, {number});
  argmax<int, unordered> more;
  more.accumulate(2, {1});
  EXPECT_EQ(best.arg().number, 9);
  best.merge(more);
  EXPECT_EQ(best.arg().number, 9);
}

struct backwards {
  std::int16_t number;
  friend bool operator<(const backwards& a, const backwards& b) { return a.number > b.number; }
};
template <typename Value>
void expect_own_order() {
  argmax<Value, unordered> first;
  argmax<Value, backwards> least;
  for (const std::int16_t number : {5, 3, 9}) {
    first.accumulate(Value{1}, {number});
    least.accumulate(Value{1}, {number});
  }
  EXPECT_EQ(first.arg().number, 5);
  EXPECT_EQ(least.arg().number, 9);
}
TEST(argmax, asks_structs_for_their_own_order_whatever_the_value) {
  expect_own_order<float>();
  expect_own_order<double>();
  expect_own_order<std::int8_t>();
}

struct seen {
  std::int32_t key;
  float value;
  std::int32_t arg;
};

/// By hand.
std::vector<keyed<std::int32_t, found_extreme<float, std::int32_t>>> most_by_key(
    const std::vector<seen>& rows) {
  std::map<std::int32_t, std::vector<found_extreme<float, std::int32_t>>> groups;
  for (const auto& [key, value, arg] : rows) groups[key].push_back({value, arg});
  std::vector<keyed<std::int32_t, found_extreme<float, std::int32_t>>> result;
  for (const auto& [key, all] : groups) result.push_back({key, reference<true>(all)});
  return result;
}

TEST(argmax, of_groups_is_the_same_on_every_device) {
  random random(72);
  for (const int keys : {9, 20'000}) {
    for (const auto n : {0, 1, 4097, up_to(65'537)}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << keys << " keys");
      std::vector<seen> rows(static_cast<std::size_t>(n));
      for (auto& [key, value, arg] : rows) {
        key = static_cast<std::int32_t>(random.between(0, keys - 1));
        value = static_cast<float>(random.between(-40, 40)) / 4;
        arg = static_cast<std::int32_t>(random.between(-1000, 1000));
      }
      const auto expected = most_by_key(rows);
      for (const auto& setting : settings()) {
        SCOPED_TRACE(setting);
        session s(setting.as_options());
        const auto got = s.borrow(rows)
                             .group_by(&seen::key)
                             .reduce<argmax<float, std::int32_t>>([](const seen& r) {
                               return pair<float, std::int32_t>{r.value, r.arg};
                             })
                             .collect()
                             .to_vector();
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < got.size(); ++i)
          ASSERT_TRUE(got[i] == expected[i]) << "row " << i << " differs";
        expect_no_failures(s);
      }
    }
  }
}

TEST(argmax, of_all_rows_is_the_same_on_every_device) {
  random random(73);
  for (const auto n : {1, 16, 4097, up_to(65'537)}) {
    SCOPED_TRACE(::testing::Message() << n << " rows");
    std::vector<double> rows(static_cast<std::size_t>(n));
    for (double& x : rows) x = static_cast<double>(random.between(-1000, 1000)) / 8;
    const auto expected = std::ranges::min_element(rows);
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      const auto [value, arg] =
          s.borrow(rows)
              .enumerate()
              .map([](const auto& at) { return pair<double, std::int64_t>{at.value, at.index}; })
              .template reduce<argmin<double, std::int64_t>>()
              .get();
      EXPECT_EQ(value, *expected);
      EXPECT_EQ(arg, expected - rows.begin());
      expect_no_failures(s);
    }
  }
}

}  // namespace
}  // namespace pappus::testing
