#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

using ::testing::HasSubstr;

struct placed {
  std::int64_t place, number;
};

/// Rows whose places are some of 0, ..., extent - 1, each once, in any order.
std::vector<placed> shuffled(random& r, std::int64_t rows, std::int64_t extent) {
  std::vector<placed> all(static_cast<std::size_t>(extent));
  for (std::int64_t i = 0; i < extent; ++i) all[static_cast<std::size_t>(i)] = {i, i};
  for (std::int64_t i = extent - 1; i > 0; --i)
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(r.between(0, i))]);
  all.resize(static_cast<std::size_t>(rows));
  for (auto& x : all) x.number = r.between(-1'000'000, 1'000'000);
  return all;
}

template <typename T, typename Value>
std::vector<T> scattered(const std::vector<placed>& rows, std::int64_t extent, T fill,
                         Value value) {
  std::vector<T> places(static_cast<std::size_t>(extent), fill);
  for (const auto& x : rows) places[static_cast<std::size_t>(x.place)] = value(x);
  return places;
}

std::int64_t number_of(const placed& x) { return x.number; }

TEST(scatter, puts_values_to_their_places_at_all_sizes) {
  random r(1);
  for (const auto n : sizes())
    for (const std::int64_t extent : {n, n + 1, 3 * n + 70}) {
      SCOPED_TRACE(::testing::Message() << n << " rows, " << extent << " places");
      const auto rows = shuffled(r, n, extent);
      expect_rows(scattered(rows, extent, std::int64_t{-7}, number_of), [&](session& s) {
        return s.borrow(rows).scatter(&placed::place, &placed::number, extent, -7);
      });
    }
}

TEST(scatter, puts_whole_records_if_it_has_no_value_function) {
  random r(2);
  const auto rows = shuffled(r, up_to(5000), up_to(9000));
  const auto expected = scattered(rows, up_to(9000), placed{}, [](const placed& x) { return x; });
  expect_rows(expected,
              [&](session& s) { return s.borrow(rows).scatter(&placed::place, up_to(9000)); });
}

template <std::size_t N>
void check_size(const std::vector<placed>& rows, std::int64_t extent) {
  using bytes = std::array<std::uint8_t, N>;
  const auto value = [](const placed& x) {
    bytes made;
    for (std::size_t i = 0; i < N; ++i)
      made[i] = static_cast<std::uint8_t>(x.number + static_cast<std::int64_t>(i));
    return made;
  };
  bytes fill;
  fill.fill(0xEE);
  expect_rows(scattered(rows, extent, fill, value), [&](session& s) {
    return s.borrow(rows).scatter(&placed::place, value, extent, fill);
  });
}

TEST(scatter, moves_records_of_any_size) {
  random r(3);
  const auto rows = shuffled(r, up_to(3000), up_to(4001));
  check_size<1>(rows, up_to(4001));
  check_size<2>(rows, up_to(4001));
  check_size<3>(rows, up_to(4001));
  check_size<12>(rows, up_to(4001));
  check_size<40>(rows, up_to(4001));
  check_size<20'000>(shuffled(r, 40, 70), 70);
}

template <typename Index>
void check_index_type(const std::vector<placed>& rows) {
  expect_rows(scattered(rows, 100, std::int64_t{0}, number_of), [&](session& s) {
    return s.borrow(rows).scatter([](const placed& x) { return static_cast<Index>(x.place); },
                                  fn<number_of>, 100);
  });
}

TEST(scatter, takes_indices_of_any_integer_type) {
  random r(4);
  const auto rows = shuffled(r, 80, 100);
  check_index_type<std::int8_t>(rows);
  check_index_type<std::uint8_t>(rows);
  check_index_type<std::int16_t>(rows);
  check_index_type<std::uint32_t>(rows);
  check_index_type<std::uint64_t>(rows);
}

TEST(scatter, keeps_the_bits_of_floats_and_the_content_of_strings) {
  const double nan = -std::numeric_limits<double>::quiet_NaN();
  expect_rows<double>({-0.0, nan, INFINITY, nan, 0.0}, [&](session& s) {
    return s.from(std::vector<double>{nan, 0.0, -0.0, INFINITY})
        .zip(s.from({3, 4, 0, 2}))
        .scatter(&pair<double, int>::second, &pair<double, int>::first, 5, nan);
  });
  session s;
  const auto words = s.from(std::vector<std::string_view>{"three", "", "one"});
  const auto length = [](std::string_view x) { return x.size(); };
  EXPECT_EQ(words.scatter(length, 6, "none").collect().to_vector(),
            (std::vector<std::string_view>{"", "none", "none", "one", "none", "three"}));
}

TEST(scatter, follows_and_precedes_other_operators) {
  random r(5);
  const auto rows = shuffled(r, up_to(30'000), up_to(30'000));
  const auto extent = up_to<std::int64_t>(30'000);
  std::vector<placed> odd;
  for (const auto& x : rows)
    if (x.number % 2 != 0) odd.push_back({extent - 1 - x.place, x.number});
  std::int64_t expected = 0;
  for (const auto& x : odd) expected += x.place % 3 == 0 ? x.number : 0;
  expect_value(expected, [&](session& s) {
    return s.borrow(rows)
        .map([extent](const placed& x) { return placed{extent - 1 - x.place, x.number}; })
        .filter([](const placed& x) { return x.number % 2 != 0; })
        .scatter(&placed::place, &placed::number, extent)
        .enumerate()
        .filter([](const indexed<std::int64_t>& x) { return x.index % 3 == 0; })
        .sum([](const indexed<std::int64_t>& x) { return x.value; });
  });
  // The inverse of a permutation.
  const auto inverse =
      scattered(rows, extent, std::int64_t{0},
                [&, row = std::int64_t{0}](const placed&) mutable { return row++; });
  expect_rows(inverse, [&](session& s) {
    return s.borrow(rows).enumerate().scatter(
        [](const indexed<placed>& x) { return x.value.place; },
        [](const indexed<placed>& x) { return x.index; }, extent);
  });
  expect_rows<int>({0, 10, 0, 9, 0, 8}, [&](session& s) {
    return s.range(8, 11)
        .map(batched<int>([](std::span<const int> in, std::span<int> out) {
          std::copy(in.begin(), in.end(), out.begin());
        }))
        .scatter([](int x) { return 21 - 2 * x; }, 6);
  });
}

TEST(scatter, runs_in_loops) {
  // A riffle of cards, three times.
  std::vector<int> cards(101), expected(101);
  std::iota(cards.begin(), cards.end(), 0);
  for (int i = 0; i < 101; ++i) expected[static_cast<std::size_t>(i * 8 % 101)] = i;
  const auto always = [](std::span<const int>, std::span<const int>) { return true; };
  expect_rows(expected, [&](session& s) {
    return s.do_while(
        s.borrow(cards),
        [](const auto& now) {
          return now.enumerate().scatter([](const indexed<int>& x) { return x.index * 2 % 101; },
                                         [](const indexed<int>& x) { return x.value; }, 101);
        },
        always, max_iterations{3});
  });
}

/// What the query throws, the same under every setting.
template <typename Query>
PAPPUS_UNHURRIED void expect_mistake(const std::string& expected, Query query) {
  for (const auto& setting : settings()) {
    SCOPED_TRACE(setting);
    const pretended_time pretending(setting.slow ? now_and_then_slow : nullptr);
    session s(setting.as_options());
    try {
      query(s).collect();
      ADD_FAILURE() << "no error";
    } catch (const usage_error& e) {
      EXPECT_EQ(e.what(), expected);
    }
  }
}

TEST(scatter, names_the_first_row_whose_index_is_no_place) {
  random r(6);
  const auto extent = up_to<std::int64_t>(40'000);
  auto rows = shuffled(r, extent, extent);
  const auto query = [&](session& s) {
    return s.borrow(rows).scatter(&placed::place, &placed::number, extent);
  };
  const auto n = std::to_string(extent);
  rows[1400].place = -1;
  for (std::size_t i = 1401; i < rows.size(); i += 1000) rows[i].place = extent;
  expect_mistake("scatter: row 1400 has the index -1, expected 0 <= index < " + n +
                     "; filter such rows out, or let the result have more records",
                 query);
  rows[700].place = extent;
  expect_mistake("scatter: row 700 has the index " + n + ", expected 0 <= index < " + n +
                     "; filter such rows out, or let the result have more records",
                 query);
  expect_mistake(
      "scatter: row 0 has the index 18446744073709551615, expected 0 <= index < 5; filter such "
      "rows out, or let the result have more records",
      [](session& s) {
        return s.from({~std::uint64_t{0}}).scatter([](std::uint64_t x) { return x; }, 5);
      });
  expect_mistake(
      "scatter: row 0 has the index 0, expected 0 <= index < 0; filter such rows out, or let the "
      "result have more records",
      [](session& s) { return s.range(0, 3).scatter([](int x) { return x; }, 0); });
}

TEST(scatter, names_the_first_row_whose_index_an_earlier_one_has) {
  random r(7);
  const auto extent = up_to<std::int64_t>(40'000);
  auto rows = shuffled(r, extent, extent);
  rows[1450].place = rows[1200].place;
  for (std::size_t i = 1451; i < rows.size(); i += 500) rows[i].place = rows[3].place;
  expect_mistake(
      "scatter: rows 1200 and 1450 have the index " + std::to_string(rows[1200].place) +
          ", expected each index in one row; group_by combines rows of one index",
      [&](session& s) { return s.borrow(rows).scatter(&placed::place, &placed::number, extent); });
  // An index that is no place comes later.
  rows[1499].place = -5;
  expect_mistake(
      "scatter: rows 1200 and 1450 have the index " + std::to_string(rows[1200].place) +
          ", expected each index in one row; group_by combines rows of one index",
      [&](session& s) { return s.borrow(rows).scatter(&placed::place, &placed::number, extent); });
  // All rows write one place; rows are those that a filter leaves.
  expect_mistake(
      "scatter: rows 0 and 1 have the index 2, expected each index in one row; group_by combines "
      "rows of one index",
      [](session& s) {
        return s.range(0, 20'000)
            .filter([](int x) { return x > 100; })
            .scatter([](int) { return 2; }, 1 << 20);
      });
}

TEST(scatter, refuses_a_negative_number_of_records) {
  session s;
  try {
    s.range(0, 3).scatter([](int x) { return x; }, -1);
    FAIL() << "no error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "scatter: expected 0 or more records, got -1");
  }
}

TEST(scatter, refuses_a_result_beyond_the_budget) {
  session s(options{.threads = 1, .host_memory = std::size_t{64} << 20, .devices = "cpu"});
  const auto rows = s.range(0, 3).scatter([](int x) { return x; }, 100'000'000);
  try {
    rows.count().get();
    FAIL() << "no error";
  } catch (const memory_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("scatter"));
  }
  EXPECT_EQ(s.host_memory_used(), 0u);
}

TEST(scatter, passes_on_what_functions_throw) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = s.range(0, 50'000);
  const auto index = [](int x) {
    if (x == 41'234) throw std::out_of_range("no place");
    return x;
  };
  EXPECT_THROW(rows.scatter(index, 50'000).collect(), std::out_of_range);
  const auto failure = s.last_failure();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->operator_name, "scatter");
  EXPECT_EQ(failure->row, 41'234);
}

TEST(scatter, stops_after_cancel) {
  session s(options{.threads = 2, .devices = "cpu"});
  const auto rows = s.range(0, 5'000'000);
  const auto index = [&s](int x) {
    if (x == 0) s.cancel();
    return 7;
  };
  EXPECT_THROW(rows.scatter(index, 5'000'000).collect(), cancelled);
}

TEST(scatter, says_that_the_cpu_runs_it) {
  session s(options{.threads = 2, .devices = "test:seed=1+delay_us=0"});
  const auto report = s.range(0, 3).scatter([](int x) { return x; }, 4).on("test").explain();
  EXPECT_THAT(report, HasSubstr("scatter runs on the CPU"));
}

}  // namespace
}  // namespace pappus::testing
