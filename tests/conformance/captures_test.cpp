// Functions with captures in every operator that takes one: the same bytes as a loop, and devices
// that lambdas are compiled for gave them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/readings.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

int at(const table& t, int i) { return t[static_cast<std::size_t>(i)]; }

TEST(captures, of_maps_filters_and_flat_maps) {
  const table by = shuffled;
  int factor = 3;
  const auto times = [factor](const reading& r) { return r.value * factor; };
  const auto looked_up = [&by](const reading& r) { return at(by, r.station); };
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).map(times); },
              [&](rows_in rows) { return each<int>(rows, times); });
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).map(looked_up); },
              [&](rows_in rows) { return each<int>(rows, looked_up); });
  const auto few = [&by, factor](const reading& r) { return at(by, r.station) > factor; };
  const auto twice = [&by, factor](const reading& r) {
    return std::array{at(by, r.station), r.value * factor};
  };
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).filter(few).flat_map(twice); },
              [&](rows_in rows) {
                std::vector<int> all;
                for (const auto& r : rows)
                  if (few(r))
                    for (const int x : twice(r)) all.push_back(x);
                return all;
              });
}

TEST(captures, of_any_and_all) {
  const table by = shuffled;
  int limit = 15;
  expect_same_value(
      [&](session& s, rows_in rows) {
        return s.borrow(rows).any(
            [&by, limit](const reading& r) { return at(by, r.station) > limit; });
      },
      [](rows_in) { return false; });
  expect_same_value(
      [&](session& s, rows_in rows) {
        return s.borrow(rows).all(
            [&by, limit](const reading& r) { return at(by, r.station) <= limit; });
      },
      [](rows_in) { return true; });
}

TEST(captures, of_operators_of_reductions) {
  const table by = shuffled;
  int mask = 0x7ff;
  const auto masked = [mask](int a, int b) { return (a ^ b) & mask; };
  // The greater by the table, of two numbers from 0 to 15.
  const auto later = [&by](int a, int b) { return at(by, a) < at(by, b) ? b : a; };
  expect_same_value(
      [&](session& s, rows_in in) {
        return s.borrow(in)
            .map([mask](const reading& r) { return r.value & mask; })
            .reduce(0, masked);
      },
      [&](rows_in rows) {
        int all = 0;
        for (const auto& r : rows) all = masked(all, r.value & mask);
        return all;
      });
  expect_same_value(
      [&](session& s, rows_in in) { return s.borrow(in).map(&reading::station).reduce(2, later); },
      [&](rows_in rows) {
        int last = 2;  // the table's least
        for (const auto& r : rows) last = later(last, r.station);
        return last;
      });
}

/// Of records, as reduce(identity, op) allows: op(total, record) and op(total, total).
struct span_of_values {
  int least, greatest;
};

TEST(captures, of_reductions_to_another_type) {
  const table by = shuffled;
  int least = -20'000;
  const auto both = [](span_of_values a, span_of_values b) {
    return span_of_values{std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
  };
  const auto op = [&by, least, both](span_of_values total, const auto& x) {
    if constexpr (std::is_same_v<decltype(x), const reading&>) {
      const int value = at(by, x.station) * x.value;
      return value < least ? total : both(total, {value, value});
    } else {
      return both(total, x);
    }
  };
  constexpr span_of_values nothing{1 << 30, -(1 << 30)};
  expect_same_value([&](session& s, rows_in in) { return s.borrow(in).reduce(nothing, op); },
                    [&](rows_in rows) {
                      auto all = nothing;
                      for (const auto& r : rows) all = op(all, r);
                      return all;
                    });
}

/// A reducer's members are captures by value.
struct counting_above {
  int limit = 0;
  std::int64_t n = 0, sum = 0;
  void accumulate(const reading& r) {
    if (r.value <= limit) return;
    ++n;
    sum += r.station;
  }
  void merge(const counting_above& other) {
    n += other.n;
    sum += other.sum;
  }
  std::array<std::int64_t, 2> finalize() const { return {n, sum}; }
};

TEST(captures, of_reducers) {
  const counting_above prototype{1234, 0, 0};
  expect_same_value([&](session& s, rows_in in) { return s.borrow(in).reduce(prototype); },
                    [&](rows_in rows) {
                      auto all = prototype;
                      for (const auto& r : rows) all.accumulate(r);
                      return all.finalize();
                    });
}

TEST(captures, of_sort_keys) {
  const table by = shuffled;
  int pivot = 77;
  const auto distance = [pivot](const reading& r) { return std::abs(r.value - pivot); };
  const auto place = [&by](const reading& r) { return at(by, r.station); };
  const auto sorted = [](rows_in rows, auto before) {
    auto all = rows;
    std::stable_sort(all.begin(), all.end(), before);
    return all;
  };
  const auto nearer = [&](const reading& a, const reading& b) { return distance(a) < distance(b); };
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).sort_by(distance); },
              [&](rows_in rows) { return sorted(rows, nearer); });
  expect_same(
      [&](session& s, rows_in rows) {
        return s.borrow(rows).sort_by(descending(place), distance, [&by, pivot](const reading& r) {
          return r.level + by[0] * pivot;
        });
      },
      [&](rows_in rows) {
        return sorted(rows, [&](const reading& a, const reading& b) {
          if (place(a) != place(b)) return place(a) > place(b);
          if (distance(a) != distance(b)) return distance(a) < distance(b);
          return a.level < b.level;
        });
      });
}

TEST(captures, of_keys_of_top_and_bottom) {
  const table by = shuffled;
  int pivot = 77;
  const auto score = [&by, pivot](const reading& r) {
    return at(by, r.station) * 100 + std::abs(r.value - pivot);
  };
  const auto first = [&](rows_in rows, auto before) {
    auto all = rows;
    std::stable_sort(all.begin(), all.end(), before);
    all.resize(std::min<std::size_t>(all.size(), 500));
    return all;
  };
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).top(500, score); },
              [&](rows_in rows) {
                return first(rows, [&](auto& a, auto& b) { return score(a) > score(b); });
              });
  expect_same([&](session& s, rows_in rows) { return s.borrow(rows).bottom(500, score); },
              [&](rows_in rows) {
                return first(rows, [&](auto& a, auto& b) { return score(a) < score(b); });
              });
}

TEST(captures, of_operators_of_scans) {
  const table by = shuffled;
  int mask = 0xffff;
  const auto later = [&by](int a, int b) { return at(by, a) < at(by, b) ? b : a; };
  expect_same(
      [&](session& s, rows_in rows) {
        return s.borrow(rows).map(&reading::station).inclusive_scan(later);
      },
      [&](rows_in rows) {
        int total = 2;
        return each<int>(rows, [&](const reading& r) { return total = later(total, r.station); });
      });
  const auto summed = [mask](std::int64_t a, std::int64_t b) { return (a + b) & mask; };
  expect_same(
      [&](session& s, rows_in rows) {
        return s.borrow(rows)
            .map([mask](const reading& r) { return r.value & mask; })
            .exclusive_scan(std::int64_t{11}, summed);
      },
      [&](rows_in rows) {
        std::int64_t total = 11;
        return each<std::int64_t>(rows, [&](const reading& r) {
          return std::exchange(total, summed(total, r.value & mask));
        });
      });
}

/// A running value that records convert to.
struct extent {
  int least, greatest;
  extent() = default;
  extent(int a, int b) : least(a), greatest(b) {}
  extent(const reading& r) : least(r.value), greatest(r.value) {}
};

TEST(captures, of_scans_of_records_that_convert) {
  int floor = -3000;
  const auto both = [floor](const extent& a, const extent& b) {
    return extent{std::max(floor, std::min(a.least, b.least)), std::max(a.greatest, b.greatest)};
  };
  expect_same(
      [&](session& s, rows_in rows) { return s.borrow(rows).exclusive_scan(extent{0, 0}, both); },
      [&](rows_in rows) {
        extent total{0, 0};
        return each<extent>(
            rows, [&](const reading& r) { return std::exchange(total, both(total, extent(r))); });
      });
}

TEST(captures, of_keys_and_projections_of_groups) {
  const table by = shuffled;
  int shift = 40;
  const auto key = [&by, shift](const reading& r, std::span<const int> more) {
    return at(by, r.station) + more[0] + shift;
  };
  const auto weight = [&by, shift](const reading& r) { return r.value * by[1] - shift; };
  using sums = keyed<int, std::int64_t>;
  const auto expected = [&](rows_in rows) {
    std::map<int, std::int64_t> all;
    const std::array<int, 1> one{1};
    for (const auto& r : rows) all[key(r, one)] += weight(r);
    std::vector<sums> groups;
    for (const auto& [k, sum] : all) groups.push_back({k, sum});
    return groups;
  };
  // Without the padding between key and value.
  const auto flat = [](const sums& g) { return std::array<std::int64_t, 2>{g.key, g.value}; };
  const auto flat_expected = [&](rows_in rows) {
    std::vector<std::array<std::int64_t, 2>> all;
    for (const auto& g : expected(rows)) all.push_back(flat(g));
    return all;
  };
  expect_same(
      [&](session& s, rows_in rows) {
        const auto one = s.from(std::vector<int>{1});
        return s.borrow(rows).group_by(key, one.shared()).sum(weight).map(flat);
      },
      flat_expected);
  expect_same(
      [&](session& s, rows_in rows) {
        const auto one = s.from(std::vector<int>{1});
        return s.borrow(rows)
            .group_by(key, one.shared(), domain{64})
            .sum(weight)
            .map(flat)
            .filter([&by, shift](const std::array<std::int64_t, 2>& g) {
              return g[0] > shift + by[2] && g[0] <= shift + 16;
            });
      },
      [&](rows_in rows) {
        auto all = flat_expected(rows);
        for (int k = 0; k < 16; ++k)  // groups without records
          if (std::ranges::none_of(all, [&](const auto& g) { return g[0] == 41 + k; }))
            all.push_back({41 + k, 0});
        std::ranges::sort(all);
        return all;
      });
}

TEST(captures, of_joins) {
  const table by = shuffled;
  int offset = 4;
  const auto key = [&by](const reading& r) { return at(by, r.station); };
  const auto right_key = [offset](int i) { return i + offset; };
  const auto combined = [&by, offset](const reading& r, int i) {
    return r.value * offset + at(by, i);
  };
  const auto right = [](session& s) {
    return s.from(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}).materialise();
  };
  expect_same([&](session& s,
                  rows_in rows) { return s.borrow(rows).join(right(s), key, right_key, combined); },
              [&](rows_in rows) {
                std::vector<int> all;
                for (const auto& r : rows)
                  if (const int i = key(r) - offset; i >= 0 && i < 8) all.push_back(combined(r, i));
                return all;
              });
  expect_same(
      [&](session& s, rows_in rows) {
        return s.borrow(rows).left_join(right(s), key, right_key,
                                        [combined, offset](const reading& r, const int* i) {
                                          return i != nullptr ? combined(r, *i) : offset;
                                        });
      },
      [&](rows_in rows) {
        return each<int>(rows, [&](const reading& r) {
          const int i = key(r) - offset;
          return i >= 0 && i < 8 ? combined(r, i) : offset;
        });
      });
}

}  // namespace
}  // namespace pappus::testing
