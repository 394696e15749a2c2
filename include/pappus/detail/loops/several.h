// A reducer of several reducers, each of which takes its part of a value: what projections
// (detail/fuse/projections.h) make of a record.
//
// Groups have a state of each side by side. Where all records are reduced, float sums have lanes
// (loops/fold.h): each part has those that it needs, and takes blocks by the loops that it has
// alone, so that they become vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/reducer_traits.h"
#include "pappus/detail/fuse/projections.h"
#include "pappus/detail/loops/fold.h"
#include "pappus/results.h"

namespace pappus::detail {

/// One part's states. Records take lanes in turn.
template <typename R, std::size_t Lanes = static_cast<std::size_t>(lanes_of<R>())>
struct lane_states {
  std::array<R, Lanes> lane;

  template <typename T>
  void accumulate(const T& value, std::uint32_t next) {
    lane[next % Lanes].accumulate(value);
  }
  /// \param next  the lane of the first value
  template <typename T>
  void accumulate_block(const T* values, std::int64_t n, std::uint32_t next) {
    const T* const end = values + n;
    for (; values != end && next % Lanes != 0; ++values, ++next)
      lane[next % Lanes].accumulate(*values);
    auto own = lane;
    for (; end - values >= static_cast<std::int64_t>(Lanes); values += Lanes)
      for (std::size_t l = 0; l < Lanes; ++l) own[l].accumulate(values[l]);
    for (std::size_t l = 0; values != end; ++values, ++l) own[l].accumulate(*values);
    std::construct_at(&lane, own);
  }
  void merge(const lane_states& other) {
    for (std::size_t l = 0; l < Lanes; ++l) lane[l].merge(other.lane[l]);
  }
  R whole() const {
    R all = lane[0];
    for (std::size_t l = 1; l < Lanes; ++l) all.merge(lane[l]);
    return all;
  }
};
template <typename R>
struct lane_states<R, 1> {
  R only;

  template <typename T>
  void accumulate(const T& value, std::uint32_t) {
    only.accumulate(value);
  }
  template <typename T>
  void accumulate_block(const T* values, std::int64_t n, std::uint32_t) {
    if constexpr (requires { only.accumulate_block(values, n); }) {
      only.accumulate_block(values, n);
    } else if constexpr (requires { typename R::of_block; }) {
      typename R::of_block block;
      for (std::int64_t i = 0; i < n; ++i) block.accumulate(values[i]);
      only.merge(block);
    } else {
      R own = only;
      for (std::int64_t i = 0; i < n; ++i) own.accumulate(values[i]);
      std::construct_at(&only, own);
    }
  }
  void merge(const lane_states& other) { only.merge(other.only); }
  R whole() const { return only; }
};

/// States for all lanes of a reducer.
template <typename R>
lane_states<R> lanes_of_copies(const R& prototype) {
  constexpr auto lanes = static_cast<std::size_t>(lanes_of<R>());
  if constexpr (lanes == 1)
    return {prototype};
  else
    return [&]<std::size_t... L>(std::index_sequence<L...>) -> lane_states<R> {
      return {std::array<R, lanes>{{(static_cast<void>(L), prototype)...}}};
    }(std::make_index_sequence<lanes>());
}

/// The values that parts take, of what projections yield.
/// \tparam Values  the parts' types; `nothing`: it doesn't look at them
template <typename... Values>
class values_of_parts {
  static constexpr bool is_there[sizeof...(Values)] = {!std::is_same_v<Values, nothing>...};
  static constexpr std::size_t before(std::size_t part) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < part; ++i) count += is_there[i] ? 1 : 0;
    return count;
  }

 public:
  template <std::size_t Part, typename All>
  static constexpr decltype(auto) get(const All& all) {
    if constexpr (!is_there[Part])
      return nothing{};
    else if constexpr (before(sizeof...(Values)) == 1)
      return (all);
    else
      return pappus::get<before(Part)>(all);
  }
};

/// Of groups. \tparam Out  what results become
template <typename Out, typename Values, typename... Rs>
struct several;

template <typename Out, typename... Values, typename... Rs>
struct several<Out, values_of_parts<Values...>, Rs...> {
  using parts = values_of_parts<Values...>;
  static constexpr bool exact = (is_exact<Rs> && ...);
  static constexpr bool commutative = (is_commutative<Rs> && ...);

  results<Rs...> states;

  template <typename All>
  void accumulate(const All& values) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (get<P>(states).accumulate(parts::template get<P>(values)), ...);
    }(std::index_sequence_for<Rs...>());
  }
  void merge(const several& other) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (get<P>(states).merge(get<P>(other.states)), ...);
    }(std::index_sequence_for<Rs...>());
  }
  Out finalize() const {
    return [&]<std::size_t... P>(std::index_sequence<P...>) {
      return Out{finalized(get<P>(states))...};
    }(std::index_sequence_for<Rs...>());
  }
};

template <typename R>
concept saturates = requires(const R& r) { r.saturated(); };

/// Of all records.
template <typename Out, typename Values, typename... Rs>
struct several_in_lanes;

template <typename Out, typename... Values, typename... Rs>
struct several_in_lanes<Out, values_of_parts<Values...>, Rs...> {
  using parts = values_of_parts<Values...>;
  static constexpr bool exact = (is_exact<Rs> && ...);
  static constexpr bool commutative = (is_commutative<Rs> && ...);

  results<lane_states<Rs>...> states;
  std::uint32_t next = 0;  ///< the lane of the next record

  template <typename All>
  void accumulate(const All& values) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (get<P>(states).accumulate(parts::template get<P>(values), next), ...);
    }(std::index_sequence_for<Rs...>());
    ++next;
  }
  template <typename All>
    requires((std::is_trivially_default_constructible_v<Values> &&
              std::is_copy_assignable_v<Values>) &&
             ...)
  void accumulate_block(const All* values, std::int64_t n) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (accumulate_part<P, Values>(values, n), ...);
    }(std::index_sequence_for<Rs...>());
    next += static_cast<std::uint32_t>(n);
  }
  void merge(const several_in_lanes& other) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (get<P>(states).merge(get<P>(other.states)), ...);
    }(std::index_sequence_for<Rs...>());
  }
  bool saturated() const
    requires(saturates<Rs> && ...)
  {
    return [&]<std::size_t... P>(std::index_sequence<P...>) {
      return (get<P>(states).whole().saturated() && ...);
    }(std::index_sequence_for<Rs...>());
  }
  Out finalize() const {
    return [&]<std::size_t... P>(std::index_sequence<P...>) {
      return Out{finalized(get<P>(states).whole())...};
    }(std::index_sequence_for<Rs...>());
  }

 private:
  /// Its values beside each other, as its loop takes them when it is alone.
  template <std::size_t Part, typename Value, typename All>
  void accumulate_part(const All* values, std::int64_t n) {
    constexpr auto at_once = values_at_once<Value>();
    Value own[at_once];
    auto lane = next;
    for (std::int64_t begin = 0; begin < n; begin += at_once) {
      const auto some = begin + at_once < n ? at_once : n - begin;
      for (std::int64_t i = 0; i < some; ++i) own[i] = parts::template get<Part>(values[begin + i]);
      get<Part>(states).accumulate_block(own, some, lane);
      lane += static_cast<std::uint32_t>(some);
    }
  }
};

}  // namespace pappus::detail
