#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

/// Sorted, each once.
template <typename T>
std::vector<T> set_of(std::vector<T> rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

template <typename T>
std::vector<T> both(const std::vector<T>& a, const std::vector<T>& b) {
  const auto left = set_of(a), right = set_of(b);
  std::vector<T> found;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(found));
  return found;
}

template <typename T>
std::vector<T> only_first(const std::vector<T>& a, const std::vector<T>& b) {
  const auto left = set_of(a), right = set_of(b);
  std::vector<T> found;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(found));
  return found;
}

template <typename T>
std::vector<T> either(std::vector<T> a, const std::vector<T>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return set_of(std::move(a));
}

template <typename T>
PAPPUS_UNHURRIED void check(const std::vector<T>& a, const std::vector<T>& b) {
  expect_rows(either(a, b), [&](session& s) { return s.borrow(a).union_with(s.borrow(b)); });
  expect_rows(both(a, b), [&](session& s) { return s.borrow(a).intersect(s.borrow(b)); });
  expect_rows(only_first(a, b), [&](session& s) { return s.borrow(a).except(s.borrow(b)); });
}

TEST(sets, are_those_of_the_standard_library_at_all_sizes) {
  random r(1);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    const int most = static_cast<int>(n);
    check(r.ints(n, -most, most), r.ints(n / 2, 0, most));
  }
}

TEST(sets, of_few_different_records_and_of_many) {
  random r(2);
  for (const int different : {1, 50, 3000, std::numeric_limits<int>::max()})
    check(r.ints(up_to(20'000), 0, different), r.ints(up_to(7'000), different / 2, different));
}

TEST(sets, of_sides_without_rows) {
  random r(3);
  const auto rows = r.ints(up_to(5000), 0, 300);
  check(rows, {});
  check({}, rows);
  check<int>({}, {});
  check(rows, rows);
}

TEST(sets, of_wide_keys_and_of_bytes) {
  random r(4);
  std::vector<std::array<std::int64_t, 2>> a, b;
  std::vector<std::uint8_t> small, others;
  for (int i = 0; i < up_to(4000); ++i) {
    a.push_back({r.between(-3, 3), r.between(-200, 200)});
    b.push_back({r.between(-1, 5), r.between(-200, 200)});
    small.push_back(static_cast<std::uint8_t>(r.between(0, 200)));
    others.push_back(static_cast<std::uint8_t>(r.between(100, 255)));
  }
  check(a, b);
  check(small, others);
}

TEST(sets, take_all_nans_for_one_and_both_zeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> a{nan, -0.0, 2.5, -nan, -INFINITY, 2.5}, b{0.0, nan, 7, INFINITY, -0.0};
  expect_rows<double>({-INFINITY, 0.0, 2.5, 7, INFINITY, nan},
                      [&](session& s) { return s.from(a).union_with(s.from(b)); });
  expect_rows<double>({0.0, nan}, [&](session& s) { return s.from(a).intersect(s.from(b)); });
  expect_rows<double>({-INFINITY, 2.5}, [&](session& s) { return s.from(a).except(s.from(b)); });
}

TEST(sets, of_strings_go_by_content) {
  random r(5);
  std::vector<std::string> here, there;
  for (int i = 0; i < up_to(2000); ++i) {
    here.push_back("the word " + std::to_string(r.between(0, 700)));
    there.push_back("the word " + std::to_string(r.between(400, 1100)));
  }
  here.insert(here.end(), {"", std::string(1, '\0'), "a"});
  there.insert(there.end(), {std::string(2, '\0'), "", "a"});
  const std::vector<std::string_view> a(here.begin(), here.end()), b(there.begin(), there.end());
  const auto expect = [](const std::vector<std::string_view>& expected, auto query) {
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      EXPECT_EQ(query(s).collect().to_vector(), expected);
    }
  };
  expect(either(a, b), [&](session& s) { return s.borrow(a).union_with(s.borrow(b)); });
  expect(both(a, b), [&](session& s) { return s.borrow(a).intersect(s.borrow(b)); });
  expect(only_first(a, b), [&](session& s) { return s.borrow(a).except(s.borrow(b)); });
}

TEST(sets, union_of_several_and_of_queries) {
  const auto odd = [](int x) { return x % 2 == 1; };
  const auto twice = [](int x) { return std::array{x, x + 1}; };
  expect_rows<int>({1, 2, 3, 4, 5, 10, 11}, [&](session& s) {
    return s.range(0, 6).filter(odd).union_with(s.from({10, 11, 10}),
                                                s.from({1, 3}).flat_map(twice));
  });
  expect_rows<int>({4, 5}, [&](session& s) {
    return s.range(0, 6).flat_map(twice).intersect(
        s.range(4, 100).filter([](int x) { return x < 6; }));
  });
  expect_rows<int>({0, 2}, [&](session& s) {
    return s.range(0, 4).except(s.range(0, 9).filter(odd)).map([](int x) { return x; });
  });
}

TEST(sets, grow_in_loops) {
  // What can be reached from 1 by doubling and by adding three, modulo 1000.
  std::vector<int> expected(1, 1);
  for (int step = 0; step < 4; ++step) {
    auto more = expected;
    for (const int x : expected) more.insert(more.end(), {2 * x % 1000, (x + 3) % 1000});
    expected = set_of(more);
  }
  const auto next = [](int x) { return std::array{2 * x % 1000, (x + 3) % 1000}; };
  const auto always = [](std::span<const int>, std::span<const int>) { return true; };
  expect_rows(expected, [&](session& s) {
    return s.do_while(
        s.from({1}),
        [&](const auto& now) { return now.union_with(now.flat_map(next).except(now)); }, always,
        max_iterations{4});
  });
}

TEST(sets, stages_are_those_of_the_operators_that_they_are_made_of) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto a = s.from({1, 2, 3}), b = s.from({2, 3, 4});
  EXPECT_THAT(a.union_with(b).explain(), HasSubstr("concat"));
  EXPECT_THAT(a.intersect(b).explain(), HasSubstr("semi_join·group_by.keys"));
  EXPECT_THAT(a.except(b).explain(), HasSubstr("anti_join·group_by.keys"));
}

}  // namespace
}  // namespace pappus::testing
