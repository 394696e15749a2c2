// What launches that reduce must give, from the rule that plan/leaves.cpp states: index by index on
// one thread, with all states of all leaves at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "shadow.h"

namespace pappus::testing {

/// Leaves of indices that reduce into so many elements in all.
inline std::vector<regions::box> leaves_of(const regions::box& indices, std::int64_t elements) {
  const auto rounded = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  };
  const auto all = indices.volume();
  const auto cell = rounded(std::max(std::clamp<std::int64_t>(all / 64, 64, 65536), 16 * elements));
  auto left = all / cell <= 1 ? 1 : (all + cell - 1) / cell;
  std::vector<regions::box> cells{indices};
  for (std::size_t d = 0; d < indices.rank; ++d) {
    const auto extent = indices.extent(d), parts = std::clamp<std::int64_t>(left, 1, extent);
    const auto step = rounded((extent + parts - 1) / parts);
    std::vector<regions::box> cut;
    for (const auto& cell : cells)
      for (auto low = cell.low[d]; low < cell.high[d]; low += step) {
        cut.push_back(cell);
        cut.back().low[d] = low;
        cut.back().high[d] = std::min(low + step, cell.high[d]);
      }
    const auto made = static_cast<std::int64_t>(cut.size() / cells.size());
    left = (left + made - 1) / made;
    cells = std::move(cut);
  }
  return cells;
}

/// Neighbours are merged by eights, and so on until one is left.
template <typename State, typename Merge>
State merged_by_eights(std::vector<State> states, Merge merge) {
  while (states.size() > 1) {
    std::vector<State> above;
    for (std::size_t i = 0; i < states.size(); ++i)
      if (i % 8 == 0)
        above.push_back(states[i]);
      else
        merge(above.back(), states[i]);
    states = std::move(above);
  }
  return states.front();
}

/// How elements of an array become one.
template <typename T>
struct sums {
  static T none() { return std::is_floating_point_v<T> ? static_cast<T>(-0.0) : T{}; }
  static void merge(T& to, T x) { to = static_cast<T>(to + x); }
};
template <typename T>
struct smallest_ones {
  static T none() { return std::numeric_limits<T>::quiet_NaN(); }
  static void merge(T& to, T x) {
    if (x < to || (to != to && x == x)) to = x;
  }
};
template <typename T>
struct largest_ones {
  static T none() { return -std::numeric_limits<T>::infinity(); }
  static void merge(T& to, T x) {
    if (to < x || (x != x && to == to)) to = x;
  }
};
template <typename T>
struct states_of {
  static T none() { return T{}; }
  static void merge(T& to, const T& x) { to.merge(x); }
};

/// Adds what the indices of a box bring, index by index. Sums of floats into few elements for the
/// length of a row have 64 lanes, which are added up at its end.
/// \param row    indices in a row of the launch
/// \param in_row  elements that the indices of a row reduce into
template <typename How, typename T, typename Body>
void reduce_box(std::vector<T>& into, const regions::box& indices, std::int64_t row,
                std::int64_t in_row, Body body) {
  if (!std::is_same_v<How, sums<T>> || !std::is_floating_point_v<T> || row < 512 ||
      256 * in_row > row) {
    each_place(indices, [&](const regions::point& at) { body(at, into); });
    return;
  }
  const auto last = indices.rank - 1;
  auto begins = indices;
  begins.high[last] = begins.low[last] + 1;
  each_place(begins, [&](regions::point at) {
    std::vector<std::vector<T>> lanes(64, std::vector<T>(into.size(), How::none()));
    for (; at[last] < indices.high[last]; ++at[last])
      body(at, lanes[static_cast<std::size_t>(at[last] - indices.low[last]) % 64]);
    for (std::size_t i = 0; i < into.size(); ++i) {
      T sum = How::none();
      for (const auto& lane : lanes) How::merge(sum, lane[i]);
      How::merge(into[i], sum);
    }
  });
}

/// An array's elements after a launch that reduces straight into it.
/// \param body    body(index, elements)
/// \param in_row  elements that the indices of a row reduce into
template <typename T, typename Body>
std::vector<T> in_index_order(std::vector<T> held, const regions::box& indices, std::int64_t in_row,
                              Body body) {
  reduce_box<sums<T>>(held, indices, indices.extent(indices.rank - 1), in_row, body);
  return held;
}

/// The same after one that reduces leaf by leaf, where there are several leaves.
/// \param elements  into which the launch reduces, in all
/// \param in_row    into which the indices of a row do
/// \param body      body(index, states or elements)
template <typename How, typename T, typename Body>
std::vector<T> leaf_by_leaf(std::vector<T> held, const regions::box& indices, std::int64_t elements,
                            std::int64_t in_row, Body body) {
  const auto leaves = leaves_of(indices, elements);
  const auto row = indices.extent(indices.rank - 1);
  if (leaves.size() == 1) {
    reduce_box<How>(held, indices, row, in_row, body);
    return held;
  }
  std::vector<std::vector<T>> states;
  for (const auto& leaf : leaves) {
    states.emplace_back(held.size(), How::none());
    reduce_box<How>(states.back(), leaf, row, in_row, body);
  }
  const auto merge = [](std::vector<T>& to, const std::vector<T>& from) {
    for (std::size_t i = 0; i < to.size(); ++i) How::merge(to[i], from[i]);
  };
  merge(held, merged_by_eights(std::move(states), merge));
  return held;
}

/// Numbers of many sizes, so that sums of them show their order.
inline std::vector<float> uneven_numbers(std::int64_t n, std::uint32_t seed = 1) {
  std::vector<float> result(static_cast<std::size_t>(n));
  for (auto& x : result) {
    seed = seed * 1664525U + 1013904223U;
    x = static_cast<float>(static_cast<double>(seed >> 8U) / (1 << (seed & 15U))) - 100.0F;
  }
  return result;
}

}  // namespace pappus::testing
