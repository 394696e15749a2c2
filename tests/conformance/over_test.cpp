// over, take_while and skip_while, against loops over all rows.

#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "conformance/harness.h"

namespace pappus::over_tests {
namespace {

using namespace pappus::testing;

struct sample {
  std::int64_t key, time, id;
  double value;
};

std::vector<sample> samples(random& r, std::int64_t n, std::int64_t keys, std::int64_t values) {
  std::vector<sample> rows;
  for (std::int64_t i = 0; i < n; ++i)
    rows.push_back(
        {r.between(0, keys), i / 3 * 2, i, static_cast<double>(r.between(-values, values))});
  return rows;
}

/// made(rows of a group, i) for each row, groups in the order of their keys.
template <typename Result, typename Made>
std::vector<pair<sample, Result>> reference(const std::vector<sample>& rows, Made made) {
  std::map<std::int64_t, std::vector<sample>> groups;
  for (const auto& row : rows) groups[row.key].push_back(row);
  std::vector<pair<sample, Result>> all;
  for (const auto& [key, group] : groups)
    for (std::size_t i = 0; i < group.size(); ++i) all.push_back({group[i], made(group, i)});
  return all;
}
using group = std::vector<sample>;

template <typename Result, typename Made, typename Windows>
PAPPUS_UNHURRIED void check(std::int64_t n, Made made, Windows windows) {
  random r(n);
  const auto rows = samples(r, n, 7, 20);
  const auto expected = reference<Result>(rows, made);
  expect_rows(expected,
              [&](session& s) { return s.from(rows).group_by(&sample::key).over(windows()); });
}

/// What is missing, whose bytes may be anything, as -1.
constexpr auto known = [](const auto& row) { return pair(row.first, row.second.value_or(-1)); };

TEST(over, yields_values_of_rows_before_and_behind) {
  random r(1);
  for (const std::int64_t n : {0, 1, 8, 500, up_to(5000)}) {
    const auto rows = samples(r, n, 7, 20);
    for (const std::int64_t by : {-2, 0, 1, 3, 1000}) {
      SCOPED_TRACE(by);
      const auto at = [](const group& of, std::int64_t i) {
        const bool there = i >= 0 && i < static_cast<std::int64_t>(of.size());
        return there ? of[static_cast<std::size_t>(i)].id : -1;
      };
      const auto before = reference<std::int64_t>(rows, [&](const group& of, std::size_t i) {
        return at(of, static_cast<std::int64_t>(i) - by);
      });
      expect_rows(before, [&](session& s) {
        return s.from(rows).group_by(&sample::key).over(lag(&sample::id, by)).map(known);
      });
      const auto behind = reference<std::int64_t>(rows, [&](const group& of, std::size_t i) {
        return at(of, static_cast<std::int64_t>(i) + by);
      });
      expect_rows(behind, [&](session& s) {
        return s.from(rows).group_by(&sample::key).over(lead(&sample::id, by)).map(known);
      });
    }
  }
}

TEST(over, numbers_rows_and_ranks_them) {
  for (const std::int64_t n : {0, 1, 500, up_to(5000)}) {
    check<std::int64_t>(
        n, [](const group&, std::size_t i) { return static_cast<std::int64_t>(i) + 1; },
        [] { return row_number(); });
    const auto count = [](const group& of, auto p) {
      return 1 + static_cast<std::int64_t>(std::ranges::count_if(of, p));
    };
    check<std::int64_t>(
        n,
        [&](const group& of, std::size_t i) {
          return count(of, [&](const sample& x) { return x.value < of[i].value; });
        },
        [] { return pappus::rank(&sample::value); });
    check<std::int64_t>(
        n,
        [&](const group& of, std::size_t i) {
          return count(of, [&](const sample& x) { return x.value > of[i].value; });
        },
        [] { return pappus::rank(descending(&sample::value)); });
    check<std::int64_t>(
        n,
        [&](const group& of, std::size_t i) {
          std::map<double, int> lesser;
          for (const auto& x : of)
            if (x.value < of[i].value) lesser[x.value] = 1;
          return 1 + static_cast<std::int64_t>(lesser.size());
        },
        [] { return dense_rank(&sample::value); });
  }
}

TEST(over, ranks_nan_behind_numbers_and_what_is_missing_last) {
  struct noted {
    int key;
    std::optional<double> value;
  };
  session s;
  const auto nan = std::nan("");
  const auto rows = s.from(std::vector<noted>{
      {1, 3}, {1, {}}, {1, nan}, {1, -0.0}, {1, {}}, {1, 0.0}, {1, -nan}, {1, 3}});
  const auto ranks = [&](auto window) {
    std::vector<std::int64_t> found;
    for (const auto& row : rows.group_by(&noted::key).over(window).collect())
      found.push_back(row.second);
    return found;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(ranks(pappus::rank(&noted::value)), ElementsAre(3, 7, 5, 1, 7, 1, 5, 3));
  EXPECT_THAT(ranks(pappus::rank(descending(&noted::value))), ElementsAre(3, 7, 1, 5, 7, 5, 1, 3));
  EXPECT_THAT(ranks(dense_rank(&noted::value)), ElementsAre(2, 4, 3, 1, 4, 1, 3, 2));
}

TEST(over, aggregates_whole_groups_and_what_they_have_so_far) {
  const auto total = [](const group& of, std::size_t from, std::size_t end) {
    double sum = 0;
    for (std::size_t i = from; i < end; ++i) sum += of[i].value;
    return sum;
  };
  for (const std::int64_t n : {0, 1, 500, up_to(5000)}) {
    check<double>(
        n, [&](const group& of, std::size_t) { return total(of, 0, of.size()); },
        [] { return sum(&sample::value); });
    check<double>(
        n, [&](const group& of, std::size_t i) { return total(of, 0, i + 1); },
        [] { return cumulative(sum(&sample::value)); });
    check<double>(
        n, [&](const group& of, std::size_t i) { return total(of, i < 5 ? 0 : i - 4, i + 1); },
        [] { return rolling(5, sum(&sample::value)); });
  }
}

TEST(over, has_windows_by_time) {
  for (const std::int64_t n : {0, 1, 500, up_to(5000)})
    for (const std::int64_t length : {0, 1, 40, 1'000'000}) {
      const auto within = [&](const group& of, std::size_t i, auto use) {
        for (std::size_t j = 0; j <= i; ++j)
          if (j == i || of[i].time - of[j].time < length) use(of[j]);
      };
      check<std::int64_t>(
          n,
          [&](const group& of, std::size_t i) {
            std::int64_t found = 0;
            within(of, i, [&](const sample&) { ++found; });
            return found;
          },
          [&] { return rolling(length, &sample::time, count()); });
      check<results<double, double>>(
          n,
          [&](const group& of, std::size_t i) {
            double sum = 0, most = -1e9;
            within(of, i, [&](const sample& x) {
              sum += x.value;
              most = std::max(most, x.value);
            });
            return results<double, double>(sum, most);
          },
          [&] { return rolling(length, &sample::time, sum(&sample::value), max(&sample::value)); });
    }
}

TEST(over, yields_results_of_several_functions) {
  struct hit {
    std::string_view from;
    timestamp at;
  };
  using namespace std::chrono_literals;
  const auto at = [](std::int64_t minute) { return timestamp{minute * 60'000'000}; };
  session s;
  const auto rows =
      s
          .from(std::vector<hit>{
              {"b", at(0)}, {"a", at(5)}, {"b", at(7)}, {"a", at(40)}, {"b", at(8)}, {"b", at(17)}})
          .group_by(&hit::from)
          .over(lag(&hit::at), rolling(10min, &hit::at, count()), count())
          .collect();
  ASSERT_EQ(rows.size(), 6u);
  const std::int64_t counted[][2] = {{1, 2}, {1, 2}, {1, 4}, {2, 4}, {3, 4}, {2, 4}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [before, near, all] = rows[i].second;
    EXPECT_EQ(before.has_value(), i != 0 && i != 2) << i;
    EXPECT_EQ(near, counted[i][0]) << i;
    EXPECT_EQ(all, counted[i][1]) << i;
  }
  EXPECT_EQ(rows[1].second.first, at(5));
}

TEST(over, refuses_windows_by_time_of_unsorted_rows) {
  session s;
  const auto message = [&](std::vector<sample> rows) {
    try {
      s.from(rows).group_by(&sample::key).over(rolling(5.0, &sample::value, count())).collect();
    } catch (const usage_error& problem) {
      return std::string(problem.what());
    }
    return std::string("none");
  };
  const std::string expected =
      "rolling: windows by time expect a group's records in the order of their times, none of them "
      "NaN: sort_by() before group_by()";
  EXPECT_EQ(message({{1, 0, 0, 3}, {2, 0, 1, 1}, {1, 0, 2, 4}}), "none");
  EXPECT_EQ(message({{1, 0, 0, 3}, {2, 0, 1, 1}, {1, 0, 2, 2}}), expected);
  EXPECT_EQ(message({{1, 0, 0, std::nan("")}}), expected);
  EXPECT_THROW(rolling(-1, &sample::time, count()), usage_error);
}

TEST(take_while, ends_before_the_first_record_that_does_not_pass) {
  for (const std::int64_t n : {0, 1, 500, up_to(70'000)})
    for (const std::int64_t end : {std::int64_t{0}, std::int64_t{1}, n / 2, n - 1, n}) {
      std::vector<std::int64_t> rows(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<std::int64_t>(i) < end ? 1 : static_cast<std::int64_t>(i) % 3;
      const auto passes = [](std::int64_t x) { return x == 1; };
      const auto first = std::ranges::find_if_not(rows, passes);
      expect_rows(std::vector(rows.begin(), first),
                  [&](session& s) { return s.from(rows).take_while(passes); });
      expect_rows(std::vector(first, rows.end()),
                  [&](session& s) { return s.from(rows).skip_while(passes); });
    }
}

}  // namespace
}  // namespace pappus::over_tests
