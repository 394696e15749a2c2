// asof_join and cross_join, against loops over all right records.

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "conformance/harness.h"

namespace pappus::asof_join_tests {
namespace {

using namespace pappus::testing;

struct event {
  std::int64_t key, time, id;
};
/// The ids of a left record and of its match, or -1.
struct matched {
  std::int64_t left, right;
  bool operator==(const matched&) const = default;
};
constexpr asof all_directions[] = {asof::backward, asof::forward, asof::nearest, asof::before,
                                   asof::after};

/// Goes through right in its order: of equal times the later row is taken looking back, the earlier
/// one looking ahead.
template <typename Left, typename Right, typename Same, typename Apart>
std::vector<matched> reference(const std::vector<Left>& left, const std::vector<Right>& right,
                               asof which, Same same, Apart apart,
                               double most = std::numeric_limits<double>::infinity()) {
  std::vector<matched> found;
  for (const auto& l : left) {
    const Right* past = nullptr;
    const Right* ahead = nullptr;
    double since = 0, until = 0;
    for (const auto& r : right) {
      if (!same(l, r)) continue;
      const double by = apart(l, r);  // how much later the right record is; NaN: no match
      if (by < 0 ||
          (by == 0 && which != asof::before && which != asof::forward && which != asof::after))
        if (past == nullptr || !(r.time < past->time)) past = &r, since = by;
      if (by > 0 || (by == 0 && which == asof::forward))
        if (ahead == nullptr || r.time < ahead->time) ahead = &r, until = by;
    }
    if (which == asof::backward || which == asof::before) ahead = nullptr;
    if (which == asof::forward || which == asof::after) past = nullptr;
    if (past != nullptr && ahead != nullptr) (-since <= until ? ahead : past) = nullptr;
    const Right* const match = past != nullptr ? past : ahead;
    const double distance = past != nullptr ? -since : until;
    found.push_back({l.id, match != nullptr && distance <= most ? match->id : -1});
  }
  return found;
}

constexpr auto ids = [](const auto& l, const auto* r) {
  return matched{l.id, r == nullptr ? -1 : r->id};
};
constexpr auto same_key = [](const auto& l, const auto& r) { return l.key == r.key; };
constexpr auto later_by = [](const auto& l, const auto& r) {
  return static_cast<double>(r.time) - static_cast<double>(l.time);
};

std::vector<event> events(random& r, std::int64_t n, std::int64_t keys, std::int64_t times) {
  std::vector<event> rows;
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back({r.between(0, keys), r.between(-times, times), i});
  return rows;
}

TEST(asof_join, finds_matches_of_unsorted_sides_in_every_direction) {
  random r(1);
  for (const std::int64_t n : {0, 1, 3, 700, up_to(4000)}) {
    const auto left = events(r, n, 5, 300), right = events(r, n / 2, 5, 300);
    for (const asof which : all_directions) {
      SCOPED_TRACE(static_cast<int>(which));
      expect_rows(reference(left, right, which, same_key, later_by), [&](session& s) {
        return s.from(left).asof_join(s.from(right), &event::key, &event::key, &event::time,
                                      &event::time, ids, which);
      });
    }
  }
}

TEST(asof_join, looks_back_unless_told_otherwise) {
  session s;
  const auto left = s.from(std::vector<event>{{1, 10, 0}, {1, 4, 1}, {2, 10, 2}, {3, 10, 3}});
  const auto right = s.from(std::vector<event>{{1, 12, 0}, {1, 5, 1}, {2, 10, 2}, {2, 10, 3}});
  const auto found =
      left.asof_join(right, &event::key, &event::key, &event::time, &event::time, ids);
  EXPECT_THAT(found.collect(),
              ::testing::ElementsAre(matched{0, 1}, matched{1, -1}, matched{2, 3}, matched{3, -1}));
}

TEST(asof_join, needs_no_keys) {
  random r(2);
  const auto left = events(r, up_to(3000), 5, 2000), right = events(r, 500, 5, 2000);
  const auto any = [](const event&, const event&) { return true; };
  for (const asof which : all_directions) {
    expect_rows(reference(left, right, which, any, later_by), [&](session& s) {
      return s.from(left).asof_join(s.from(right), &event::time, &event::time, ids, which);
    });
    expect_rows(reference(left, right, which, any, later_by, 3), [&](session& s) {
      return s.from(left).asof_join(s.from(right), &event::time, &event::time, ids, which, 3);
    });
  }
}

TEST(asof_join, leaves_out_what_is_farther_than_the_tolerance) {
  random r(3);
  const auto left = events(r, up_to(2000), 3, 5000), right = events(r, 400, 3, 5000);
  for (const asof which : all_directions)
    for (const int most : {0, 1, 9, 1'000'000})
      expect_rows(reference(left, right, which, same_key, later_by, most), [&](session& s) {
        return s.from(left).asof_join(s.from(right), &event::key, &event::key, &event::time,
                                      &event::time, ids, which, most);
      });
}

struct noted {
  std::optional<int> key;
  std::optional<double> time;
  std::int64_t id;
};

TEST(asof_join, matches_nothing_that_is_missing_nor_times_that_are_nan) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  random r(4);
  const auto some = [&](std::int64_t n) {
    std::vector<noted> rows;
    for (std::int64_t i = 0; i < n; ++i) {
      noted one{static_cast<int>(r.between(0, 3)), static_cast<double>(r.between(-20, 20)) / 4, i};
      switch (r.between(0, 12)) {
        case 0:
          one.key.reset();
          break;
        case 1:
          one.time.reset();
          break;
        case 2:
          one.time = std::nan("");
          break;
        case 3:
          one.time = infinity;
          break;
        case 4:
          one.time = -infinity;
          break;
        case 5:
          one.time = -0.0;
          break;
        default:
          break;
      }
      rows.push_back(one);
    }
    return rows;
  };
  const auto left = some(up_to(2000)), right = some(300);
  const auto same = [](const noted& l, const noted& x) { return l.key && l.key == x.key; };
  const auto apart = [](const noted& l, const noted& x) {
    if (!l.time || !x.time) return std::nan("");
    return *l.time == *x.time ? 0 : *x.time - *l.time;
  };
  for (const asof which : all_directions) {
    SCOPED_TRACE(static_cast<int>(which));
    expect_rows(reference(left, right, which, same, apart), [&](session& s) {
      return s.from(left).asof_join(s.from(right), &noted::key, &noted::key, &noted::time,
                                    &noted::time, ids, which);
    });
    expect_rows(reference(left, right, which, same, apart, 0.5), [&](session& s) {
      return s.from(left).asof_join(s.from(right), &noted::key, &noted::key, &noted::time,
                                    &noted::time, ids, which, 0.5);
    });
  }
}

struct named {
  std::string_view key;
  timestamp time;
  std::int64_t id;
};

TEST(asof_join, takes_text_as_keys_and_durations_as_tolerances) {
  random r(5);
  const std::string_view names[] = {"oak", "elm", "", "a name that has more than sixteen bytes"};
  const auto some = [&](std::int64_t n) {
    std::vector<named> rows;
    for (std::int64_t i = 0; i < n; ++i)
      rows.push_back({names[r.between(0, 3)], {r.between(0, 5'000'000)}, i});
    return rows;
  };
  const auto left = some(up_to(2000)), right = some(300);
  const auto apart = [](const named& l, const named& x) {
    return static_cast<double>(x.time.micros - l.time.micros);
  };
  expect_rows(reference(left, right, asof::backward, same_key, apart), [&](session& s) {
    return s.from(left).asof_join(s.from(right), &named::key, &named::key, &named::time,
                                  &named::time, ids);
  });
  using namespace std::chrono_literals;
  expect_rows(reference(left, right, asof::nearest, same_key, apart, 20'000), [&](session& s) {
    return s.from(left).asof_join(s.from(right), &named::key, &named::key, &named::time,
                                  &named::time, ids, asof::nearest, 20ms);
  });
  const std::chrono::duration<double> seconds(0.02);
  expect_rows(reference(left, right, asof::nearest, same_key, apart, 20'000), [&](session& s) {
    return s.from(left).asof_join(s.from(right), &named::key, &named::key, &named::time,
                                  &named::time, ids, asof::nearest, seconds);
  });
}

TEST(asof_join, takes_pairs_as_keys_and_days_as_tolerances) {
  random r(6);
  const auto left = events(r, 1000, 30, 50), right = events(r, 400, 30, 50);
  const auto both = [](const event& e) { return pair(e.key % 3, static_cast<int>(e.key / 10)); };
  const auto day = [](const event& e) { return date{static_cast<int>(e.time)}; };
  const auto same = [&](const event& l, const event& x) {
    return l.key % 3 == x.key % 3 && l.key / 10 == x.key / 10;
  };
  expect_rows(reference(left, right, asof::forward, same, later_by, 7), [&](session& s) {
    return s.from(left).asof_join(s.from(right), both, both, day, day, ids, asof::forward, 7);
  });
}

struct listed {
  std::string_view share;
  std::optional<int> venue;
  std::int64_t time, id;
};
struct share_at_venue {
  std::string_view share;
  std::optional<int> venue;
};

TEST(asof_join, takes_text_among_several_fields_as_keys) {
  using namespace std::string_view_literals;
  random r(8);
  const std::string_view names[] = {"", "a", "ab", "a\0"sv, "\xff", "a name of twenty bytes"};
  const auto some = [&](std::int64_t n) {
    std::vector<listed> rows;
    for (std::int64_t i = 0; i < n; ++i) {
      rows.push_back(
          {names[r.between(0, 5)], static_cast<int>(r.between(-2, 2)), r.between(-50, 50), i});
      if (rows.back().venue == 2) rows.back().venue.reset();
    }
    return rows;
  };
  const auto left = some(up_to(2000)), right = some(300);
  const auto key = [](const listed& x) { return share_at_venue{x.share, x.venue}; };
  const auto same = [](const listed& a, const listed& b) {
    return a.share == b.share && a.venue && a.venue == b.venue;
  };
  for (const asof which : all_directions)
    expect_rows(reference(left, right, which, same, later_by), [&](session& s) {
      return s.from(left).asof_join(s.from(right), key, key, &listed::time, &listed::time, ids,
                                    which);
    });
  const auto some_key = [key](const listed& x) {
    return x.venue ? std::optional(key(x)) : std::nullopt;
  };
  expect_rows(reference(left, right, asof::nearest, same, later_by), [&](session& s) {
    return s.from(left).asof_join(s.from(right), some_key, some_key, &listed::time, &listed::time,
                                  ids, asof::nearest);
  });
}

TEST(asof_join, takes_keys_of_sixteen_bytes_that_may_be_missing) {
  random r(9);
  const auto left = events(r, 1000, 6, 50), right = events(r, 200, 6, 50);
  const auto maybe = [](const event& e) {
    return e.key == 0 ? std::nullopt : std::optional(pair(e.key, std::int64_t{7}));
  };
  const auto sure = [](const event& e) { return pair(e.key, std::int64_t{7}); };
  const auto same = [](const event& a, const event& b) { return a.key != 0 && a.key == b.key; };
  expect_rows(reference(left, right, asof::backward, same, later_by), [&](session& s) {
    return s.from(left).asof_join(s.from(right), maybe, sure, &event::time, &event::time, ids);
  });
  expect_rows(reference(left, right, asof::backward, same, later_by), [&](session& s) {
    return s.from(left).asof_join(s.from(right), sure, maybe, &event::time, &event::time, ids);
  });
}

TEST(asof_join, knows_distances_at_the_ends_of_a_type) {
  constexpr auto low = std::numeric_limits<std::int64_t>::min();
  constexpr auto high = std::numeric_limits<std::int64_t>::max();
  session s;
  const auto left = s.from(std::vector<event>{{0, low, 0}, {0, -1, 1}, {0, 1, 2}, {0, high, 3}});
  const auto right = s.from(std::vector<event>{{0, high, 0}, {0, low, 1}});
  const auto nearest = [&](auto... within) {
    return left
        .asof_join(right, &event::key, &event::key, &event::time, &event::time, ids, asof::nearest,
                   within...)
        .collect();
  };
  EXPECT_THAT(nearest(),
              ::testing::ElementsAre(matched{0, 1}, matched{1, 1}, matched{2, 0}, matched{3, 0}));
  EXPECT_THAT(nearest(high),
              ::testing::ElementsAre(matched{0, 1}, matched{1, 1}, matched{2, 0}, matched{3, 0}));
  EXPECT_THAT(nearest(high - 2),
              ::testing::ElementsAre(matched{0, 1}, matched{1, -1}, matched{2, -1}, matched{3, 0}));
}

TEST(asof_join, refuses_negative_tolerances) {
  session s;
  const auto rows = s.from(std::vector<event>{});
  const auto message = [&](auto within) {
    try {
      rows.asof_join(rows, &event::time, &event::time, ids, asof::backward, within);
    } catch (const usage_error& problem) {
      return std::string(problem.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(message(-3), "asof_join: expected a distance of times of 0 or more, got -3");
  EXPECT_EQ(message(0), "none");
}

TEST(range_join, yields_what_lies_between_bounds_in_the_order_of_points) {
  random r(10);
  for (const std::int64_t n : {0, 1, 300, up_to(3000)}) {
    const auto left = events(r, n, 4, 100);
    auto right = events(r, 200, 4, 100);
    const auto low = [](const event& e) { return e.time - e.id % 5; };
    const auto high = [](const event& e) { return e.time + e.id % 7 - 1; };
    const auto pairs = [&](auto same) {
      auto sorted = right;
      std::ranges::stable_sort(sorted, {}, &event::time);
      std::vector<matched> all;
      for (const auto& l : left)
        for (const auto& x : sorted)
          if (same(l, x) && low(l) <= x.time && x.time <= high(l)) all.push_back({l.id, x.id});
      return all;
    };
    const auto both = [](const event& l, const event& x) { return matched{l.id, x.id}; };
    expect_rows(pairs(same_key), [&](session& s) {
      return s.from(left).range_join(s.from(right), &event::key, &event::key, low, high,
                                     &event::time, both);
    });
    expect_rows(pairs([](const event&, const event&) { return true; }), [&](session& s) {
      return s.from(left).range_join(s.from(right), low, high, &event::time, both);
    });
  }
}

TEST(range_join, matches_nothing_that_is_missing_or_nan) {
  session s;
  const auto nan = std::nan("");
  const std::optional<double> none;
  const auto rows = s.from(std::vector<noted>{
      {1, 0.5, 0}, {1, none, 1}, {1, nan, 2}, {{}, 0.5, 3}, {2, -0.0, 4}, {2, 7, 5}});
  const auto zero = [](const noted&) { return 0.0; };
  const auto ids_of = [](const auto& pairs) {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (const auto& [l, x] : pairs.collect()) all.push_back({l, x});
    return all;
  };
  const auto both = [](const noted& l, const noted& x) { return matched{l.id, x.id}; };
  using ::testing::ElementsAre, ::testing::Pair;
  EXPECT_THAT(ids_of(rows.range_join(rows, &noted::key, &noted::key, zero, &noted::time,
                                     &noted::time, both)),
              ElementsAre(Pair(0, 0), Pair(4, 4), Pair(5, 4), Pair(5, 5)));
  EXPECT_THAT(ids_of(rows.range_join(rows, &noted::time, zero, &noted::time, both)),
              ElementsAre(Pair(4, 4)));
}

TEST(cross_join, yields_every_pair_in_order) {
  random r(7);
  for (const std::int64_t n : {0, 1, 5, up_to(2000)}) {
    const auto left = events(r, n, 9, 9), right = events(r, 37, 9, 9);
    std::vector<matched> expected;
    for (const auto& l : left)
      for (const auto& x : right) expected.push_back({l.id, x.id});
    expect_rows(expected, [&](session& s) {
      return s.from(left).cross_join(
          s.from(right), [](const event& l, const event& x) { return matched{l.id, x.id}; });
    });
  }
  session s;
  EXPECT_EQ(s.range(0, 5).cross_join(s.range(0, 0), [](int, int) { return 1; }).count().get(), 0);
}

}  // namespace
}  // namespace pappus::asof_join_tests
