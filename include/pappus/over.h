// Window functions: what a record's group has before it, behind it and as a whole.
//
//     hits.sort_by(&hit::at)
//         .group_by(&hit::address)
//         .over(lag(&hit::at), row_number())      // pair{hit, results{before, number}}
//
// which SQL writes as lag(at) OVER (PARTITION BY address ORDER BY at). A group's records are put
// side by side, in row order (map_groups), and each function goes over them once. Windows by time
// are two stacks of states: of the older rows states from each on are kept, of the newer ones a
// single one. A row changes sides once, so that each takes three steps, and nothing is ever
// subtracted.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/detail/fuse/moments.h"
#include "pappus/detail/fuse/windows.h"
#include "pappus/error.h"
#include "pappus/group.h"
#include "pappus/group_choice.h"
#include "pappus/rolling.h"
#include "pappus/sort.h"

namespace pappus {
namespace detail {

struct a_window_function {
  static constexpr bool is_window_function = true;
};

/// The projection of the record so many rows away.
template <typename F>
struct shifted : a_window_function {
  F projection;
  std::int64_t by;

  template <typename T>
  static constexpr bool takes() {
    return takes_record<F, T>;
  }
  template <typename T>
  static constexpr bool uses() {
    return record<projection_of<F, T>>;
  }
  template <typename T>
  auto of(std::span<const T> rows) const {
    std::vector<std::optional<present<projection_of<F, T>>>> made(rows.size());
    const auto n = static_cast<std::int64_t>(rows.size());
    for (std::int64_t i = 0; i < n; ++i)
      if (by >= -i && by < n - i)
        made[static_cast<std::size_t>(i)] =
            std::invoke(projection, rows[static_cast<std::size_t>(i + by)]);
    return made;
  }
};

struct numbered_rows : a_window_function {
  template <typename T>
  static constexpr bool takes() {
    return true;
  }
  template <typename T>
  static constexpr bool uses() {
    return true;
  }
  template <typename T>
  auto of(std::span<const T> rows) const {
    std::vector<std::int64_t> made(rows.size());
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<std::int64_t>(i) + 1;
    return made;
  }
};

/// How many records, or with Dense different keys, come before one's key, and one more.
template <typename Key, bool Dense>
struct ranked_rows : a_window_function {
  using direction = key_direction<Key>;
  using function = typename direction::function;
  Key key;

  template <typename T>
  static constexpr bool takes() {
    return takes_record<function, T>;
  }
  template <typename T>
  static constexpr bool uses() {
    return bits_key<projection_of<function, T>>;
  }
  template <typename T>
  auto of(std::span<const T> rows) const {
    const rank_by<function, direction::descending> by{direction::of(key)};
    std::vector<std::pair<decltype(by(rows[0])), std::size_t>> order(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) order[i] = {by(rows[i]), i};
    std::ranges::sort(order, [](const auto& a, const auto& b) {
      return is_better(a.first, b.first) || (!is_better(b.first, a.first) && a.second < b.second);
    });
    std::vector<std::int64_t> made(rows.size());
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || is_better(order[i - 1].first, order[i].first))
        rank = Dense ? rank + 1 : static_cast<std::int64_t>(i) + 1;
      made[order[i].second] = rank;
    }
    return made;
  }
};

/// Aggregates of all records, of those up to a record, of the last n.
enum class extent : std::uint8_t { all, up_to_row, last_rows };

template <extent Extent, typename... Aggregates>
struct aggregated_rows : a_window_function {
  std::tuple<Aggregates...> wanted;
  std::int64_t n = 1;

  template <typename T>
  static constexpr bool takes() {
    return (takes_record_as_well<Aggregates, T> && ...);
  }
  template <typename T>
  static constexpr bool uses() {
    return !(reduces_not<Aggregates, T> || ...);
  }
  template <typename T>
  auto of(std::span<const T> rows) const {
    return std::apply([&](const auto&... each) { return each_of(rows, each...); }, wanted);
  }

 private:
  template <typename T>
  auto each_of(std::span<const T> rows, const Aggregates&... each) const {
    if constexpr (Extent == extent::last_rows) {
      return pappus::rolling(rows, n, each...);
    } else {
      const auto windows = rolling_of<T>(1, each...);
      auto state = windows.prototype;
      std::vector<rolling_result<T, Aggregates...>> made;
      made.reserve(rows.size());
      for (const T& row : rows) {
        state.accumulate(windows.values(row));
        if constexpr (Extent == extent::up_to_row) made.push_back(windows.finished(state));
      }
      if constexpr (Extent == extent::all)
        if (!rows.empty()) made.assign(rows.size(), windows.finished(state));
      return made;
    }
  }
};

void refuse_rolling_order();

/// Aggregates of records that are less than `length` older than a record, and itself.
template <typename Length, typename TimeOf, typename... Aggregates>
struct rolling_by_time : a_window_function {
  Length length;
  TimeOf time;
  std::tuple<Aggregates...> wanted;

  template <typename T>
  static constexpr bool takes() {
    return takes_record<TimeOf, T> && (takes_record_as_well<Aggregates, T> && ...);
  }
  template <typename T>
  static constexpr bool uses() {
    using own = std::remove_cvref_t<returned_by<TimeOf, T>>;
    return moment<own> && distance_of<Length, own> && !(reduces_not<Aggregates, T> || ...);
  }
  template <typename T>
  auto of(std::span<const T> rows) const {
    return std::apply([&](const auto&... each) { return each_of(rows, each...); }, wanted);
  }

 private:
  template <typename T>
  auto each_of(std::span<const T> rows, const Aggregates&... each) const {
    using own = std::remove_cvref_t<returned_by<TimeOf, T>>;
    const auto windows = rolling_of<T>(1, each...);
    const auto too_far = farthest<own>("rolling", length);
    std::vector<std::remove_const_t<decltype(windows.prototype)>> ends;  // of rows [begin, middle)
    auto newer = windows.prototype;                                      // of rows [middle, i]
    std::size_t begin = 0, middle = 0, first_end = 0;
    std::vector<rolling_result<T, Aggregates...>> made;
    made.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const own now = std::invoke(time, rows[i]);
      if (!(now == now) || (i > 0 && now < std::invoke(time, rows[i - 1]))) refuse_rolling_order();
      newer.accumulate(windows.values(rows[i]));
      while (begin < i && distance_between(own(std::invoke(time, rows[begin])), now) >= too_far)
        ++begin;
      if (begin >= middle) {
        ends.assign(i + 1 - begin, windows.prototype);
        for (std::size_t row = i + 1; row-- > begin;) {
          auto& end = ends[row - begin];
          end.accumulate(windows.values(rows[row]));
          if (row < i) end.merge(ends[row + 1 - begin]);
        }
        first_end = begin;
        middle = i + 1;
        newer = windows.prototype;
        made.push_back(windows.finished(ends[0]));
      } else {
        auto window = ends[begin - first_end];
        window.merge(newer);
        made.push_back(windows.finished(window));
      }
    }
    return made;
  }
};

template <typename W>
auto window_function_of(const W& what) {
  if constexpr (is_aggregate<W>)
    return aggregated_rows<extent::all, W>{{}, {what}};
  else
    return what;
}

/// What a group's function returns: each record beside its results.
template <typename... Windows>
struct rows_with_windows {
  std::tuple<Windows...> windows;

  template <typename K, typename T>
  auto operator()(const K&, std::span<const T> rows) const {
    return std::apply([&](const auto&... each) { return beside(rows, each.of(rows)...); }, windows);
  }

 private:
  template <typename T, typename... Results>
  static auto beside(std::span<const T> rows, const std::vector<Results>&... made) {
    using result =
        std::conditional_t<sizeof...(Results) == 1, std::tuple_element_t<0, std::tuple<Results...>>,
                           results<Results...>>;
    std::vector<pair<T, result>> all;
    all.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) all.push_back({rows[i], result(made[i]...)});
    return all;
  }
};

template <typename Of, typename T>
template <typename... Windows>
  requires(sizeof...(Windows) > 0 && (over_something<Windows> && ...) &&
           (takes_rows<Windows, T>() && ...) && (uses_rows<Windows, T>() && ...))
auto over_members<Of, T>::over(const Windows&... windows) const {
  using function = rows_with_windows<decltype(window_function_of(windows))...>;
  return access::map_groups(static_cast<const Of&>(*this), "over",
                            ranges_of(function{{window_function_of(windows)...}}), to_itself{});
}

}  // namespace detail

// What over() takes, besides aggregates, which are those of the whole group.

/// The projection of the record n rows before; of the n first ones missing.
template <detail::projecting F = detail::to_itself>
auto lag(F projection = {}, std::int64_t n = 1) {
  return detail::shifted<F>{{}, std::move(projection), n > -INT64_MAX ? -n : INT64_MAX};
}
/// The projection of the record n rows behind; of the n last ones missing.
template <detail::projecting F = detail::to_itself>
auto lead(F projection = {}, std::int64_t n = 1) {
  return detail::shifted<F>{{}, std::move(projection), n};
}
/// 1, 2, 3, ...: std::int64_t.
inline auto row_number() { return detail::numbered_rows{}; }
/// 1 and how many records of the group have lesser keys, with descending(key) greater ones:
/// std::int64_t. NaN is greater than every number; what is missing comes last.
template <typename Key>
auto rank(Key key) {
  return detail::ranked_rows<Key, false>{{}, std::move(key)};
}
/// The same of different keys: without gaps.
template <typename Key>
auto dense_rank(Key key) {
  return detail::ranked_rows<Key, true>{{}, std::move(key)};
}
/// Aggregates of the records up to each: cumulative(sum(&sale::price)).
template <typename... Aggregates>
  requires(sizeof...(Aggregates) > 0 && (detail::is_aggregate<Aggregates> && ...))
auto cumulative(const Aggregates&... wanted) {
  return detail::aggregated_rows<detail::extent::up_to_row, Aggregates...>{{}, {wanted...}};
}
/// Aggregates of each record and the n - 1 before it.
template <std::integral N, typename... Aggregates>
  requires(sizeof...(Aggregates) > 0 && (detail::is_aggregate<Aggregates> && ...))
auto rolling(N n, const Aggregates&... wanted) {
  detail::check_rolling(n);
  return detail::aggregated_rows<detail::extent::last_rows, Aggregates...>{{}, {wanted...}, n};
}
/// Aggregates of each record and those before it whose times are less than `length` before its own:
/// rolling(std::chrono::minutes(30), &hit::at, count()). A group's records must be in the order of
/// their times: throws usage_error when one isn't.
template <typename Length, detail::projecting TimeOf, typename... Aggregates>
  requires((std::is_arithmetic_v<Length> || detail::is_duration<Length>) &&
           !detail::is_aggregate<TimeOf> && sizeof...(Aggregates) > 0 &&
           (detail::is_aggregate<Aggregates> && ...))
auto rolling(Length length, TimeOf time, const Aggregates&... wanted) {
  detail::check_distance("rolling", length);
  return detail::rolling_by_time<Length, TimeOf, Aggregates...>{
      {}, length, std::move(time), {wanted...}};
}

}  // namespace pappus
