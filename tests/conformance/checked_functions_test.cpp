// Functions with checks, in every operator that takes a function: a check that holds leaves it on
// the device, and one that fails throws what the first row throws, wherever it ran.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/readings.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

/// Values from here on are refused by checked(), which throws them.
constexpr int bad = 10'000;

/// The place of each row's station; the row's value, if that is bad.
struct checked {
  const table& by;
  int operator()(const reading& r) const {
    if (r.value >= bad) throw r.value;
    return by.at(static_cast<std::size_t>(r.station));
  }
};

std::vector<reading> with_bad_rows(std::initializer_list<std::size_t> where) {
  auto rows = readings(70'001);
  for (const auto row : where) rows[row].value = bad + static_cast<int>(row);
  return rows;
}

/// Runs make(session, rows), which must throw the value of row `first`, and of no other where the
/// order of calls is that of the rows.
template <typename Make>
PAPPUS_UNHURRIED void expect_thrown(Make make, rows_in rows, std::size_t first) {
  for (const auto& setting : settings()) {
    if (setting.chunk_rows == 1 || std::string_view(setting.devices).starts_with("test")) continue;
    SCOPED_TRACE(setting);
    session s(setting.as_options());
    int thrown = 0;
    try {
      make(s, rows);
    } catch (int value) {
      thrown = value;
    }
    EXPECT_EQ(thrown, rows[first].value);
    EXPECT_TRUE(s.device_faults().empty());
  }
}

template <typename Before>
std::vector<reading> sorted(rows_in rows, Before before) {
  auto all = rows;
  std::stable_sort(all.begin(), all.end(), before);
  return all;
}

TEST(checked_functions, as_sort_keys) {
  const table by = shuffled;
  const checked key{by};
  const auto before = [&](const reading& a, const reading& b) { return key(a) < key(b); };
  const auto by_key = [&](session& s, rows_in rows) { return s.borrow(rows).sort_by(key); };
  expect_same(by_key, [&](rows_in rows) { return sorted(rows, before); });
  expect_thrown([&](session& s, rows_in rows) { by_key(s, rows).collect(); },
                with_bad_rows({33'333, 50'000, 70'000}), 33'333);
  // The CPU looks at this key later, and for rows that an earlier one has put in order.
  expect_thrown(
      [&](session& s, rows_in rows) { s.borrow(rows).sort_by(key, &reading::level).collect(); },
      with_bad_rows({60'000}), 60'000);
}

TEST(checked_functions, as_keys_of_top_and_bottom) {
  const table by = shuffled;
  const checked key{by};
  const auto least = [&](session& s, rows_in rows) { return s.borrow(rows).bottom(300, key); };
  expect_same(least, [&](rows_in rows) {
    auto all = sorted(rows, [&](auto& a, auto& b) { return key(a) < key(b); });
    all.resize(std::min<std::size_t>(all.size(), 300));
    return all;
  });
  expect_thrown([&](session& s, rows_in rows) { least(s, rows).collect(); },
                with_bad_rows({33'333, 50'000, 70'000}), 33'333);
  expect_thrown([&](session& s, rows_in rows) { s.borrow(rows).top(300, key).collect(); },
                with_bad_rows({0, 69'999}), 0);
}

TEST(checked_functions, as_operators_of_scans) {
  const table by = shuffled;
  const auto later = [&by](int a, int b) {
    if (b >= bad) throw b;
    return by.at(static_cast<std::size_t>(a)) < by.at(static_cast<std::size_t>(b)) ? b : a;
  };
  const auto value = [](const reading& r) { return r.value >= bad ? r.value : r.station; };
  const auto running = [&](session& s, rows_in rows) {
    return s.borrow(rows).map(value).inclusive_scan(later);
  };
  expect_same(running, [&](rows_in rows) {
    int total = 2;
    return each<int>(rows, [&](const reading& r) { return total = later(total, r.station); });
  });
  expect_thrown([&](session& s, rows_in rows) { running(s, rows).collect(); },
                with_bad_rows({33'333, 50'000, 69'999}), 33'333);
  expect_thrown([&](session& s,
                    rows_in rows) { s.borrow(rows).map(value).exclusive_scan(2, later).collect(); },
                with_bad_rows({1, 50'000}), 1);
}

TEST(checked_functions, as_operators_of_reductions) {
  const table by = shuffled;
  const auto later = [&by](int a, int b) {
    if (b >= bad) throw b;
    return by.at(static_cast<std::size_t>(a)) < by.at(static_cast<std::size_t>(b)) ? b : a;
  };
  const auto last = [&](session& s, rows_in rows) {
    return s.borrow(rows)
        .map([](const reading& r) { return r.value >= bad ? r.value : r.station; })
        .reduce(2, later);
  };
  expect_same_value(last, [&](rows_in rows) {
    int total = 2;
    for (const auto& r : rows) total = later(total, r.station);
    return total;
  });
  expect_thrown([&](session& s, rows_in rows) { last(s, rows).get(); },
                with_bad_rows({33'333, 50'000}), 33'333);
}

/// How often each value of a small table occurs, and of what they are the sum.
struct stations_seen {
  std::array<std::int64_t, 4> counts{};
  void accumulate(const reading& r) {
    if (r.value >= bad) throw r.value;
    counts.at(static_cast<std::size_t>(r.station / 4)) += r.value;
  }
  void merge(const stations_seen& other) {
    for (std::size_t i = 0; i < 4; ++i) counts[i] += other.counts[i];
  }
};

TEST(checked_functions, as_reducers) {
  const auto all = [](session& s, rows_in rows) {
    return s.borrow(rows).template reduce<stations_seen>();
  };
  expect_same_value(all, [](rows_in rows) {
    stations_seen total;
    for (const auto& r : rows) total.accumulate(r);
    return total;
  });
  expect_thrown([&](session& s, rows_in rows) { (void)all(s, rows).get(); },
                with_bad_rows({33'333, 50'000}), 33'333);
}

/// Groups without the padding between key and value.
std::array<std::int64_t, 5> flat(const keyed<int, stations_seen>& group) {
  const auto& n = group.value.counts;
  return {group.key, n[0], n[1], n[2], n[3]};
}

TEST(checked_functions, as_keys_and_reducers_of_groups) {
  const table by = shuffled;
  const checked key{by};
  const auto expected = [&](rows_in rows) {
    std::map<int, stations_seen> groups;
    for (const auto& r : rows) groups[key(r)].accumulate(r);
    std::vector<std::array<std::int64_t, 5>> all;
    for (const auto& [k, group] : groups) all.push_back(flat({k, group}));
    return all;
  };
  const auto grouped = [&](session& s, rows_in rows) {
    return s.borrow(rows).group_by(key).template reduce<stations_seen>().map(fn<flat>);
  };
  expect_same(grouped, expected);
  expect_thrown([&](session& s, rows_in rows) { grouped(s, rows).collect(); },
                with_bad_rows({33'333, 50'000}), 33'333);
  expect_thrown(
      [&](session& s, rows_in rows) { s.borrow(rows).group_by(key, domain{16}).count().collect(); },
      with_bad_rows({33'333, 50'000}), 33'333);
  // The reducer's check alone.
  const auto station = [](const reading& r) { return r.station; };
  for (const bool known : {false, true})
    expect_thrown(
        [&](session& s, rows_in rows) {
          if (known)
            s.borrow(rows).group_by(station, domain{16}).template reduce<stations_seen>().collect();
          else
            s.borrow(rows).group_by(station).template reduce<stations_seen>().collect();
        },
        with_bad_rows({44'444}), 44'444);
}

TEST(checked_functions, in_joins) {
  const table by = shuffled;
  const checked key{by};
  const auto joined = [&](session& s, rows_in rows) {
    const auto right = s.range(0, 12).map([](std::int64_t i) { return static_cast<int>(i); });
    return s.borrow(rows).join(
        right.materialise(), key, [](int i) { return i; },
        [&by](const reading& r, int i) { return r.value + by.at(static_cast<std::size_t>(i)); });
  };
  expect_same(joined, [&](rows_in rows) {
    std::vector<int> all;
    for (const auto& r : rows)
      if (key(r) < 12) all.push_back(r.value + by.at(static_cast<std::size_t>(key(r))));
    return all;
  });
  expect_thrown([&](session& s, rows_in rows) { joined(s, rows).collect(); },
                with_bad_rows({33'333, 50'000}), 33'333);
}

}  // namespace
}  // namespace pappus::testing
