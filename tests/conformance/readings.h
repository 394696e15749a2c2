// Records for tests of users' functions, and whether it was a device that called these.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/harness.h"
#include "pappus/pappus.h"

namespace pappus::testing {

struct reading {
  int station;  ///< 0 to 15
  int value;    ///< -5000 to 5000
  double level;
};
using rows_in = const std::vector<reading>&;

using table = std::array<int, 16>;
inline constexpr table shuffled{5, 12, 0, 9, 3, 15, 7, 1, 14, 2, 10, 6, 13, 4, 11, 8};

inline std::vector<reading> readings(std::int64_t n) {
  random numbers(static_cast<std::uint64_t>(n) + 7);
  std::vector<reading> rows(static_cast<std::size_t>(n));
  for (auto& r : rows)
    r = {static_cast<int>(numbers.between(0, 15)), static_cast<int>(numbers.between(-5000, 5000)),
         static_cast<double>(numbers.between(-1000, 1000)) / 8};
  return rows;
}

/// Every row's result.
template <typename T, typename Row>
std::vector<T> each(rows_in rows, Row row) {
  std::vector<T> all;
  for (const auto& r : rows) all.push_back(row(r));
  return all;
}

inline bool compiles_lambdas(const setting& on) {
  return std::string_view(on.devices).starts_with("opencl");
}

/// Of a query or value: where the session's devices compile lambdas, one of them ran it.
template <typename Query>
void expect_ran_there(const setting& on, const Query& query) {
  using ::testing::HasSubstr;
  if (!compiles_lambdas(on)) return;
  EXPECT_THAT(query.explain_analyze(),
              ::testing::AllOf(HasSubstr("ran on opencl:"), ::testing::Not(HasSubstr("moved to"))));
}

/// make(session, rows) -> query; expected(rows) -> its records.
template <typename Make, typename Expected>
void expect_same(Make make, Expected expected) {
  for (const std::int64_t n : {1, 4097, 70'001}) {
    SCOPED_TRACE(n);
    const auto rows = readings(n);
    expect_rows(expected(rows), [&](session& s) { return make(s, rows); });
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      expect_ran_there(setting, make(s, rows));
    }
  }
}

/// make(session, rows) -> value; expected(rows) -> what it is.
template <typename Make, typename Expected>
void expect_same_value(Make make, Expected expected) {
  for (const std::int64_t n : {1, 70'001}) {
    SCOPED_TRACE(n);
    const auto rows = readings(n);
    const auto wanted = expected(rows);
    for (const auto& setting : settings()) {
      SCOPED_TRACE(setting);
      session s(setting.as_options());
      const auto value = make(s, rows);
      EXPECT_TRUE(same_bytes<std::remove_const_t<decltype(wanted)>>(value.get(), wanted));
      expect_ran_there(setting, value);
    }
  }
}

}  // namespace pappus::testing
