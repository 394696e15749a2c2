// A reducer of several reducers, each of which takes its part of a value: what projections
// (detail/fuse/projections.h) make of a record.
//
// Groups have a state of each side by side. Where all records are reduced, float sums have lanes
// (loops/fold.h): each part has those that it needs, and takes blocks by the loops that it has
// alone, so that they become vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/glue.h"
#include "pappus/detail/base/reducer_traits.h"
#include "pappus/detail/fuse/projections.h"
#include "pappus/detail/loops/fold.h"
#include "pappus/results.h"

namespace pappus::detail {

/// A reducer's states where all records are reduced. Records take lanes in turn.
template <typename R, std::size_t Lanes = static_cast<std::size_t>(lanes_of<R>())>
struct lane_states {
  std::array<R, Lanes> lane;
  std::uint32_t next = 0;  ///< the number of the next record

  template <typename T>
  void accumulate(const T& value) {
    lane[next++ % Lanes].accumulate(value);
  }
  /// Instead, where a row may have no record.
  template <typename T>
  void accumulate_at(const T& value, std::uint32_t row) {
    lane[row % Lanes].accumulate(value);
  }
  template <typename T>
  void accumulate_block(const T* values, std::int64_t n) {
    const T* const end = values + n;
    while (values != end && next % Lanes != 0) accumulate(*values++);
    next += static_cast<std::uint32_t>(end - values);
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
  void accumulate(const T& value) {
    only.accumulate(value);
  }
  template <typename T>
  void accumulate_at(const T& value, std::uint32_t row) {
    if constexpr (row_lanes_of<R>() > 1)
      only.accumulate_at(value, row);
    else
      only.accumulate(value);
  }
  template <typename T>
  void accumulate_block(const T* values, std::int64_t n) {
    if constexpr (requires { only.accumulate_block(values, n); }) {
      only.accumulate_block(values, n);
    } else {
      auto block = block_of<R>::begin(only);
      for (std::int64_t i = 0; i < n; ++i) block.accumulate(values[i]);
      block_of<R>::end(only, block);
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

/// Of groups and blocks a state is what reduces.
template <typename State>
const State& whole(const State& of) {
  return of;
}
template <typename R, std::size_t Lanes>
R whole(const lane_states<R, Lanes>& of) {
  return of.whole();
}

template <typename State>
using reducer_of = std::remove_cvref_t<decltype(whole(std::declval<const State&>()))>;

template <typename State>
inline constexpr bool takes_arrays = false;
template <typename R, std::size_t Lanes>
inline constexpr bool takes_arrays<lane_states<R, Lanes>> = true;

/// By how many lanes it matters which row a record has.
template <typename State>
inline constexpr int lanes_of_state = 1;
template <typename R, std::size_t Lanes>
inline constexpr int lanes_of_state<lane_states<R, Lanes>> = row_lanes_of<R>();

template <typename State>
concept saturates = requires(const State& s) { whole(s).saturated(); };

/// \tparam Out     what results become
/// \tparam States  of groups reducers, of all records lane_states, of a block what takes these
template <typename Out, typename Values, typename... States>
struct several;

template <typename Out, typename... Values, typename... States>
struct several<Out, values_of_parts<Values...>, States...> {
  using parts = values_of_parts<Values...>;
  static constexpr bool exact = (is_exact<reducer_of<States>> && ...);
  static constexpr bool commutative = (is_commutative<reducer_of<States>> && ...);
  static constexpr int row_lanes = (std::max)({lanes_of_state<States>...});

  results<States...> states;

  template <typename All>
  PAPPUS_INLINE_BY_CLANG void accumulate(const All& values) {
    each([&](auto part) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      get<part>(states).accumulate(parts::template get<part>(values));
    });
  }
  /// As accumulate() of all that functions make of a record, of which of.one<I>(record) is one.
  template <typename Functions, typename Record>
    requires(Functions::parts == sizeof...(States))
  PAPPUS_INLINE_BY_CLANG void accumulate_each(const Functions& of, const Record& record) {
    each_apart(of, record, [](auto& state, const auto& value) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      state.accumulate(value);
    });
  }
  /// The same as accumulate_at().
  template <typename Functions, typename Record>
    requires(Functions::parts == sizeof...(States))
  PAPPUS_INLINE_BY_CLANG void accumulate_each_at(const Functions& of, const Record& record,
                                                 std::uint32_t row) {
    each_apart(of, record, [row](auto& state, const auto& value) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      state.accumulate_at(value, row);
    });
  }
  template <typename All>
  void accumulate_at(const All& values, std::uint32_t row) {
    each([&](auto part) {
      get<part>(states).accumulate_at(parts::template get<part>(values), row);
    });
  }
  template <typename All>
  void accumulate(const numbered_value<All>& of) {
    accumulate_at(of.value, static_cast<std::uint32_t>(of.row));
  }
  template <typename All>
    requires((takes_arrays<States> && std::is_trivially_default_constructible_v<Values> &&
              std::is_copy_assignable_v<Values>) &&
             ...)
  void accumulate_block(const All* values, std::int64_t n) {
    each([&](auto part) { accumulate_part<part>(values, n); });
  }
  void merge(const several& other) {
    each([&](auto part) { get<part>(states).merge(get<part>(other.states)); });
  }
  bool saturated() const
    requires(saturates<States> && ...)
  {
    bool all = true;
    each([&](auto part) { all = all && whole(get<part>(states)).saturated(); });
    return all;
  }
  Out finalize() const {
    return [&]<std::size_t... P>(std::index_sequence<P...>) {
      return Out{finalized(whole(get<P>(states)))...};
    }(std::index_sequence_for<States...>());
  }

 private:
  /// Small values are copied before states are written, which compilers take for theirs.
  template <typename Value, typename T = std::remove_cvref_t<Value>>
  using apart = std::conditional_t<(sizeof(T) <= 16), T, const T&>;

  /// Calls add(state, value) for what each function makes of a record.
  template <typename Functions, typename Record, typename Add>
  PAPPUS_INLINE_BY_CLANG void each_apart(const Functions& of, const Record& record, Add add) {
    [&]<std::size_t... P>(std::index_sequence<P...>) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      add_apart<Add, apart<decltype(of.template one<P>(record))>...>(add,
                                                                     of.template one<P>(record)...);
    }(std::index_sequence_for<States...>());
  }
  template <typename Add, typename... Parts>
  PAPPUS_INLINE_BY_CLANG void add_apart(Add add, const Parts... values) {
    [&]<std::size_t... P>(std::index_sequence<P...>) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      (add(get<P>(states), values), ...);
    }(std::index_sequence_for<States...>());
  }

  template <typename F>
  PAPPUS_INLINE_BY_CLANG static void each(F&& f) {
    [&]<std::size_t... P>(std::index_sequence<P...>) PAPPUS_LAMBDA_INLINE_BY_CLANG {
      (f(std::integral_constant<std::size_t, P>()), ...);
    }(std::index_sequence_for<States...>());
  }

  /// Its values beside each other, as its loop takes them when it is alone.
  template <std::size_t Part, typename All>
  void accumulate_part(const All* values, std::int64_t n) {
    using value = std::tuple_element_t<Part, std::tuple<Values...>>;
    constexpr auto at_once = values_at_once<value>();
    value own[at_once];
    for (std::int64_t begin = 0; begin < n; begin += at_once) {
      const auto some = begin + at_once < n ? at_once : n - begin;
      for (std::int64_t i = 0; i < some; ++i) own[i] = parts::template get<Part>(values[begin + i]);
      get<Part>(states).accumulate_block(own, some);
    }
  }
};

/// A block of each, where none has lanes, and none is large that has no block.
template <typename Out, typename Values, typename... Rs>
  requires((has_block<Rs> || ...) && ((row_lanes_of<Rs>() == 1) && ...) &&
           ((has_block<Rs> || sizeof(Rs) <= 64) && ...))
struct block_of<several<Out, Values, lane_states<Rs, 1>...>> {
  using reducers = several<Out, Values, lane_states<Rs, 1>...>;
  using blocks = several<Out, Values, block_type<Rs>...>;

  static blocks begin(const reducers& all) {
    return [&]<std::size_t... P>(std::index_sequence<P...>) {
      return blocks{{block_of<Rs>::begin(get<P>(all.states).only)...}};
    }(std::index_sequence_for<Rs...>());
  }
  static void end(reducers& all, const blocks& of) {
    [&]<std::size_t... P>(std::index_sequence<P...>) {
      (block_of<Rs>::end(get<P>(all.states).only, get<P>(of.states)), ...);
    }(std::index_sequence_for<Rs...>());
  }
};

}  // namespace pappus::detail
