#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

struct visit {
  std::int64_t patient, number;
};
struct patient {
  std::int64_t id, room;
};
struct entry {
  std::int64_t patient, number, id, room;
};

constexpr visit no_visit{-1000, -1000};
constexpr patient nobody{-2000, -2000};

entry entry_of(const visit* v, const patient* p) {
  const auto& a = v != nullptr ? *v : no_visit;
  const auto& b = p != nullptr ? *p : nobody;
  return {a.patient, a.number, b.id, b.room};
}
entry right_entry(const visit* v, const patient& p) { return entry_of(v, &p); }

std::vector<entry> full_reference(const std::vector<visit>& left,
                                  const std::vector<patient>& right) {
  std::multimap<std::int64_t, const patient*> by_id;  // equal keys in the order of insertion
  for (const auto& p : right) by_id.emplace(p.id, &p);
  std::map<std::int64_t, bool> seen;
  std::vector<entry> rows;
  for (const auto& v : left) {
    seen[v.patient] = true;
    const auto [begin, end] = by_id.equal_range(v.patient);
    if (begin == end) rows.push_back(entry_of(&v, nullptr));
    for (auto at = begin; at != end; ++at) rows.push_back(entry_of(&v, at->second));
  }
  for (const auto& p : right)
    if (!seen.contains(p.id)) rows.push_back(entry_of(nullptr, &p));
  return rows;
}

std::vector<entry> right_reference(const std::vector<visit>& left,
                                   const std::vector<patient>& right) {
  std::multimap<std::int64_t, const visit*> by_patient;
  for (const auto& v : left) by_patient.emplace(v.patient, &v);
  std::vector<entry> rows;
  for (const auto& p : right) {
    const auto [begin, end] = by_patient.equal_range(p.id);
    if (begin == end) rows.push_back(entry_of(nullptr, &p));
    for (auto at = begin; at != end; ++at) rows.push_back(entry_of(at->second, &p));
  }
  return rows;
}

/// \param known  nothing, or a domain for the keys that are indexed.
template <typename... Domain>
PAPPUS_UNHURRIED void check_joins(const std::vector<visit>& left, const std::vector<patient>& right,
                                  Domain... known) {
  expect_rows(full_reference(left, right), [&](session& s) {
    return s.borrow(left).full_join(s.borrow(right), &visit::patient, &patient::id, fn<entry_of>,
                                    known...);
  });
  expect_rows(right_reference(left, right), [&](session& s) {
    return s.borrow(left).right_join(s.borrow(right), &visit::patient, &patient::id,
                                     fn<right_entry>, known...);
  });
}

std::vector<visit> visits(random& r, std::int64_t n, std::int64_t low, std::int64_t high) {
  std::vector<visit> rows;
  for (std::int64_t i = 0; i < n; ++i) rows.push_back({r.between(low, high), i});
  return rows;
}
std::vector<patient> patients(random& r, std::int64_t n, std::int64_t low, std::int64_t high) {
  std::vector<patient> rows;
  for (std::int64_t i = 0; i < n; ++i) rows.push_back({r.between(low, high), i});
  return rows;
}

TEST(outer_joins, keep_records_without_a_match_at_all_sizes) {
  random r(1);
  for (const auto n : sizes()) {
    SCOPED_TRACE(n);
    check_joins(visits(r, n, 0, n), patients(r, n / 2, n / 3, n + n / 3));
    check_joins(visits(r, n / 4, 0, n), patients(r, n, 0, 2 * n));
  }
}

TEST(outer_joins, of_sides_without_rows_or_matches) {
  random r(2);
  const auto left = visits(r, up_to(5000), 0, 100);
  const auto right = patients(r, up_to(3000), 200, 300);
  check_joins(left, {});
  check_joins({}, right);
  check_joins({}, {});
  check_joins(left, right);
}

TEST(outer_joins, of_one_key_that_matches_nearly_everything) {
  random r(3);
  auto right = patients(r, up_to(2000), 2, 2);
  for (std::size_t i = 0; i < right.size(); i += 50) right[i].id = 3 + static_cast<int>(i) % 7;
  check_joins(visits(r, up_to(300), 0, 3), right);
}

TEST(outer_joins, recognise_consecutive_keys) {
  random r(4);
  std::vector<patient> right;
  for (std::int64_t i = 0; i < 1000; ++i) right.push_back({500 + i, i * i});
  check_joins(visits(r, up_to(20'000), 490, 1200), right);
  std::vector<visit> left;
  for (std::int64_t i = 0; i < 1000; ++i) left.push_back({i - 300, i});
  check_joins(left, patients(r, up_to(20'000), -400, 800));
}

TEST(outer_joins, give_the_same_with_a_known_domain) {
  random r(5);
  for (const std::int64_t k : {1, 50, 100'000}) {
    const auto inside = std::min<std::int64_t>(k, 2000) - 1;
    // Keys of the side that isn't indexed may lie outside.
    const auto left = visits(r, up_to(3000), -5, 2005);
    const auto right = patients(r, up_to(2000), 0, inside);
    expect_rows(full_reference(left, right), [&](session& s) {
      return s.borrow(left).full_join(s.borrow(right), &visit::patient, &patient::id, fn<entry_of>,
                                      domain{k});
    });
    const auto few = visits(r, up_to(2000), 0, inside);
    const auto more = patients(r, up_to(3000), -5, 2005);
    expect_rows(right_reference(few, more), [&](session& s) {
      return s.borrow(few).right_join(s.borrow(more), &visit::patient, &patient::id,
                                      fn<right_entry>, domain{k});
    });
  }
}

TEST(outer_joins, name_the_row_whose_key_lies_outside_the_domain) {
  session s;
  const auto left = s.from(std::vector<visit>{{1, 1}, {2, 1}, {-9, 1}});
  const auto right = s.from(std::vector<patient>{{1, 1}, {7, 2}});
  const auto message = [](const auto& query) -> std::string {
    try {
      query.collect();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(
      message(left.full_join(right, &visit::patient, &patient::id, fn<entry_of>, domain{5})),
      "join: row 1 of the right side has the key 7, expected keys in the domain 0 to 4; widen "
      "the domain or join without one");
  EXPECT_EQ(
      message(left.right_join(right, &visit::patient, &patient::id, fn<right_entry>, domain{5})),
      "join: row 2 of the left side has the key -9, expected keys in the domain 0 to 4; widen the "
      "domain or join without one");
}

TEST(outer_joins, match_nan_with_nan_and_both_zeros) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> left{nan, 0.0, 1.0, INFINITY}, right{-0.0, -nan, 2.0, nan};
  const auto key = [](const indexed<double>& x) { return x.value; };
  expect_rows<pair<int, int>>({{0, 1}, {0, 3}, {1, 0}, {2, -1}, {3, -1}, {-1, 2}}, [&](session& s) {
    return s.from(left).enumerate().full_join(
        s.from(right).enumerate(), key, key,
        [](const indexed<double>* a, const indexed<double>* b) {
          return pair<int, int>{a ? static_cast<int>(a->index) : -1,
                                b ? static_cast<int>(b->index) : -1};
        });
  });
  expect_rows<pair<int, int>>({{1, 0}, {0, 1}, {-1, 2}, {0, 3}}, [&](session& s) {
    return s.from(left).enumerate().right_join(
        s.from(right).enumerate(), key, key,
        [](const indexed<double>* a, const indexed<double>& b) {
          return pair<int, int>{a ? static_cast<int>(a->index) : -1, static_cast<int>(b.index)};
        });
  });
}

TEST(outer_joins, compare_strings_by_content) {
  const std::vector<std::string> here{"b", "", "a longer word than sixteen bytes", "b"},
      there{"a longer word than sixteen bytes", "c", "b", std::string(1, '\0'), ""};
  const std::vector<std::string_view> left(here.begin(), here.end()),
      right(there.begin(), there.end());
  const auto itself = [](std::string_view x) { return x; };
  const auto lengths = [](const std::string_view* a, const std::string_view* b) {
    return pair<int, int>{a ? static_cast<int>(a->size()) : -1,
                          b ? static_cast<int>(b->size()) : -1};
  };
  expect_rows<pair<int, int>>(
      {{1, 1}, {0, 0}, {32, 32}, {1, 1}, {-1, 1}, {-1, 1}}, [&](session& s) {
        return s.borrow(left).full_join(s.borrow(right), itself, itself, lengths);
      });
  expect_rows<pair<int, int>>(
      {{32, 32}, {-1, 1}, {1, 1}, {1, 1}, {-1, 1}, {0, 0}}, [&](session& s) {
        return s.borrow(left).right_join(
            s.borrow(right), itself, itself,
            [lengths](const std::string_view* a, const std::string_view& b) {
              return lengths(a, &b);
            });
      });
}

TEST(outer_joins, take_keys_of_sixteen_bytes) {
  using wide_key = std::array<std::int64_t, 2>;
  random r(6);
  const auto left = visits(r, up_to(2000), 0, 300);
  const auto right = patients(r, up_to(500), 100, 400);
  expect_rows(full_reference(left, right), [&](session& s) {
    return s.borrow(left).full_join(
        s.borrow(right), [](const visit& v) { return wide_key{-v.patient, v.patient}; },
        [](const patient& p) { return wide_key{-p.id, p.id}; }, fn<entry_of>);
  });
}

TEST(outer_joins, follow_and_precede_other_operators) {
  random r(7);
  const auto left = visits(r, up_to(30'000), 0, 500);
  const auto right = patients(r, up_to(900), 200, 900);
  std::vector<visit> kept;
  for (const auto& v : left)
    if (v.number % 3 == 0) kept.push_back({v.patient + 1, v.number});
  std::int64_t full = 0, outer = 0;
  for (const auto& e : full_reference(kept, right)) full += e.number % 2 == 0 ? e.room : 0;
  for (const auto& e : right_reference(kept, right)) outer += e.number % 2 == 0 ? e.room : 0;
  const auto left_of = [&](session& s) {
    return s.borrow(left)
        .filter([](const visit& v) { return v.number % 3 == 0; })
        .map([](const visit& v) { return visit{v.patient + 1, v.number}; });
  };
  const auto right_of = [&](session& s) {
    return s.borrow(right).filter([](const patient& p) { return p.room >= 0; });
  };
  const auto even = [](const entry& e) { return e.number % 2 == 0; };
  expect_value(full, [&](session& s) {
    return left_of(s)
        .full_join(right_of(s), &visit::patient, &patient::id, fn<entry_of>)
        .filter(even)
        .sum(&entry::room);
  });
  expect_value(outer, [&](session& s) {
    return left_of(s)
        .right_join(right_of(s), &visit::patient, &patient::id, fn<right_entry>)
        .filter(even)
        .sum(&entry::room);
  });
}

TEST(outer_joins, run_in_loops) {
  // Each round keeps what one side has and the other hasn't.
  const std::vector<int> start{1, 2, 3, 4, 10, 11}, table{2, 4, 6, 11};
  const auto itself = [](int x) { return x; };
  const auto always = [](std::span<const int>, std::span<const int>) { return true; };
  const auto after = [&](std::int64_t rounds) {
    return [&, rounds](session& s) {
      const auto others = s.from(table);
      return s.do_while(
          s.from(start),
          [&](const auto& now) {
            return now
                .full_join(others, itself, itself,
                           [](const int* a, const int* b) { return a ? (b ? 0 : *a) : *b; })
                .filter([](int x) { return x != 0; });
          },
          always, max_iterations{rounds});
    };
  };
  expect_rows<int>({1, 3, 10, 6}, after(1));
  // Twice is back to the beginning, in another order.
  expect_rows<int>({1, 3, 10, 2, 4, 11}, after(2));
}

TEST(outer_joins, pass_on_what_the_function_throws) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto left = s.from(std::vector<visit>{{1, 1}, {2, 2}});
  const auto right = s.from(std::vector<patient>{{2, 3}, {4, 7}});
  const auto fails = [&](std::int64_t number, std::int64_t room) {
    const auto checked = [number, room](const visit* v, const patient* p) {
      if ((v && v->number == number) || (p && p->room == room)) throw std::out_of_range("no bed");
      return entry_of(v, p);
    };
    EXPECT_THROW(left.full_join(right, &visit::patient, &patient::id, checked).collect(),
                 std::out_of_range);
    const auto failure = s.last_failure();
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->operator_name, "full_join");
    EXPECT_THAT(failure->function, ::testing::Not(HasSubstr("left_record")));
  };
  fails(1, 0);
  fails(0, 7);
}

TEST(outer_joins, explain_what_they_are_made_of) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto left = s.from(std::vector<visit>{{1, 1}});
  const auto right = s.from(std::vector<patient>{{2, 3}});
  const auto full = left.full_join(right, &visit::patient, &patient::id, fn<entry_of>).explain();
  EXPECT_THAT(full, HasSubstr("s3 full_join:"));
  EXPECT_THAT(full, HasSubstr("s4 unmatched:"));
  EXPECT_THAT(full, HasSubstr("s5 full_join:"));
  EXPECT_THAT(full, HasSubstr("s6 concat:"));
  const auto outer = left.right_join(right, &visit::patient, &patient::id, fn<right_entry>)
                         .map(&entry::room)
                         .sum()
                         .explain();
  EXPECT_THAT(outer, HasSubstr("right_join·map·sum:"));
}

}  // namespace
}  // namespace pappus::testing
