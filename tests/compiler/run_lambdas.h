// What thunks.h declares, for a program that runs the lambdas: each is mapped over rows on the CPU
// and on an OpenCL device, as the compiler plugin compiled it, and must yield the same.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"

namespace thunks {

/// Rows to run lambdas on: numbers on both sides of 0, and what a test adds for its records.
template <typename T>
struct inputs {
  static std::vector<T> rows() {
    std::vector<T> all;
    for (int i = -12; i < 60; ++i) all.push_back(static_cast<T>(i));
    return all;
  }
};
template <>
struct inputs<unsigned> {
  static std::vector<unsigned> rows() { return {0, 1, 2, 3, 4, 5, 6, 7, 9, 27, 97, 871, 65535}; }
};
template <>
struct inputs<bool> {
  static std::array<bool, 2> rows() { return {false, true}; }
};

/// Shared data, of which lambdas look at each.
template <typename T>
struct sides {
  static std::vector<T> rows() { return {-1, 0, 2, 2.5, 7, 30}; }
};

/// What two places yield. Numbers that std::pair and std::tuple hold become one, for these are no
/// records.
template <typename T>
auto comparable(const T& x) {
  if constexpr (requires { std::tuple_size<T>::value; } && !std::is_trivially_copyable_v<T>)
    return std::apply([](auto... parts) { return (0.0 + ... + static_cast<double>(parts)); }, x);
  else
    return x;
}

template <typename T>
bool same(const T& a, const T& b) {
  if constexpr (requires { a == b; })
    return a == b;
  else
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// map(session) -> the query.
template <typename Map>
void expect_same(Map map) {
  pappus::session cpu(pappus::options{.devices = "cpu"}),
      there(pappus::options{.devices = "opencl:0"});
  const auto expected = map(cpu).collect();
  const auto query = map(there);
  const auto told = query.explain_analyze();
  EXPECT_THAT(told, ::testing::HasSubstr("ran on opencl:0"));
  const auto got = query.collect();
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same(got[i], expected[i])) << "row " << i << "\n" << told << query.explain();
}

template <typename Out, typename In, typename Rows, typename F>
void expect_same_of(const Rows& rows, F f) {
  expect_same([&](pappus::session& s) {
    if constexpr (std::is_trivially_copyable_v<Out>)
      return s.from(rows).map(f);
    else
      return s.from(rows).map([f](const In& x) { return comparable(f(x)); });
  });
}
template <typename Out, typename In, typename F>
void element(F f, const std::vector<In>& rows) {
  expect_same_of<Out, In>(rows, f);
}
template <typename Out, typename In, typename F>
void element(F f) {
  expect_same_of<Out, In>(inputs<In>::rows(), f);
}
/// Only joins call those with a pointer.
template <typename Out, typename In, typename Match, typename F>
void element(F) {}

template <typename Out, typename In, typename Side, typename F>
void with_side(F f) {
  const auto side = sides<Side>::rows();
  expect_same(
      [&](pappus::session& s) { return s.from(inputs<In>::rows()).map(f, s.from(side).shared()); });
}

template <typename R, typename T>
void reducer() {}

}  // namespace thunks
