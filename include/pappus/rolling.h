// Aggregates of windows of rows, which move from row to row:
//
//     prices.rolling(7, mean(&price::close));      // of each row and the six before it
//     prices.zip(prices.rolling(7, mean(&price::close), max(&price::close)));
//
// Rows are cut into blocks as long as a window (van Herk 1992; Gil, Werman 1993): a window is the
// end of one block and the beginning of the next, whose states are computed once for all windows.
// So each row takes three steps, whatever the window's length, and nothing is ever subtracted: a
// sum of floats doesn't remember what has left it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/aggregate.h"
#include "pappus/detail/fuse/statistics.h"
#include "pappus/function.h"
#include "pappus/query.h"

namespace pappus {
namespace detail {

/// Throws usage_error unless it is a window's length.
void check_rolling(std::int64_t n);

/// \tparam R  a reducer of what the projections yield
template <typename R, typename Values, typename Result>
struct rolling_windows {
  std::int64_t n;
  R prototype;
  Values values;

  /// The results of windows that end in rows [first, first + out.size()) of all.
  template <typename T>
  void write(std::span<const T> all, std::size_t first, std::span<Result> out) const {
    const auto length = static_cast<std::size_t>(n);
    const std::size_t last = first + out.size();
    std::vector<R> ends;  // of the block before, from each of its rows on
    for (std::size_t row = first; row < last;) {
      const std::size_t block = row / length * length;
      find_ends(all, block, length, ends);
      R begin = prototype;
      for (std::size_t i = block; i < row; ++i) begin.accumulate(values(all[i]));
      for (; row < last && row < block + length; ++row) {
        begin.accumulate(values(all[row]));
        if (block == 0 || row + 1 == block + length) {
          out[row - first] = finished(begin);
        } else {
          R window = ends[row + 1 - block];
          window.merge(begin);
          out[row - first] = finished(window);
        }
      }
    }
  }

  static Result finished(const R& state) {
    if constexpr (std::same_as<Result, std::remove_cvref_t<decltype(finalized(state))>>)
      return finalized(state);
    else
      return get<0>(finalized(state));
  }

 private:
  template <typename T>
  void find_ends(std::span<const T> all, std::size_t block, std::size_t length,
                 std::vector<R>& ends) const {
    if (block == 0) return;
    ends.assign(length, prototype);
    for (std::size_t i = length; i-- > 0;) {
      ends[i].accumulate(values(all[block - length + i]));
      if (i + 1 < length) ends[i].merge(ends[i + 1]);
    }
  }
};

/// What a window yields: of one aggregate its result, else results.
template <typename T, typename... Aggregates>
using rolling_result = std::conditional_t<
    sizeof...(Aggregates) == 1,
    result_of<aggregate_reducer<T, std::tuple_element_t<0, std::tuple<Aggregates..., int>>>>,
    typename several_of<void, T, Aggregates...>::result>;

template <typename T, typename... Aggregates>
auto rolling_of(std::int64_t n, const Aggregates&... wanted) {
  using reducer = typename several_of<void, T, Aggregates...>::of_groups;
  check_rolling(n);
  reducer prototype{results(wanted.reducer.template of<aggregate_value<T, Aggregates>>()...)};
  const projections values(wanted.projection...);
  return rolling_windows<reducer, std::remove_const_t<decltype(values)>,
                         rolling_result<T, Aggregates...>>{n, prototype, values};
}

template <typename Windows, typename Result>
struct rolling_rows {
  Windows windows;
  template <typename T>
  void operator()(std::span<const indexed<T>> rows, std::span<const T> all,
                  std::span<Result> out) const {
    if (!rows.empty()) windows.write(all, static_cast<std::size_t>(rows[0].index), out);
  }
};

template <typename Of, typename T>
template <typename... Aggregates>
auto rolling_members<Of, T>::rolling(std::int64_t n, const Aggregates&... wanted) const {
  const auto windows = rolling_of<T>(n, wanted...);
  using result = rolling_result<T, Aggregates...>;
  const auto rows = static_cast<const Of&>(*this).materialise();
  return rows.enumerate().map(
      batched<result>(rolling_rows<std::remove_const_t<decltype(windows)>, result>{windows}),
      rows.shared());
}

}  // namespace detail

/// The same of records side by side, for functions of groups (flat_map_groups): as many results.
template <typename T, typename... Aggregates>
  requires(detail::is_aggregate<Aggregates> && ...)
auto rolling(std::span<const T> rows, std::int64_t n, const Aggregates&... wanted) {
  std::vector<detail::rolling_result<T, Aggregates...>> made(rows.size());
  detail::rolling_of<T>(n, wanted...).write(rows, 0, std::span(made));
  return made;
}

}  // namespace pappus
