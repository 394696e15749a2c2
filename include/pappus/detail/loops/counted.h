// Reductions that do no more than count records: all of them, or those that have a value that may
// be missing.
//
//     flights.aggregate(count(), count(&flight::delay))
//
// Where readers counted what is missing (detail/base/missing_counts.h), they follow from that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/expression.h"
#include "pappus/detail/fuse/projections.h"
#include "pappus/detail/loops/fold.h"
#include "pappus/detail/loops/several.h"
#include "pappus/missing.h"
#include "pappus/reducers.h"

namespace pappus::detail {

/// Of a projection of records of type T, and what reduces its values.
template <typename F, typename T, typename R>
inline constexpr bool counts_field = false;
template <typename T>
inline constexpr bool counts_field<to_nothing, T, reducers::count> = true;
template <typename V, typename T>
  requires std::is_object_v<V>
inline constexpr bool counts_field<V T::*, T, reducers::present<V>> = true;

/// Where in a record the byte lies that says whether the field is there; 0: it always is.
template <typename T>
std::size_t presence_of(to_nothing) {
  return 0;
}
template <typename T, typename V>
std::size_t presence_of(V T::* field) {
  if constexpr (may_be_missing<V>) {
    const T record = zero_record<T>();
    const auto* const at = reinterpret_cast<const std::byte*>(std::addressof(record.*field));
    return static_cast<std::size_t>(at - reinterpret_cast<const std::byte*>(&record)) +
           presence_at<present<V>>();
  } else {
    return 0;
  }
}

/// What an expression has reduced by R, if it only counts records that lie in memory.
template <typename E, typename R>
struct counted {
  static constexpr bool is = false;
};
template <typename T, typename F, typename R>
  requires counts_field<F, T, R>
struct counted<mapped<source<T>, call<F>>, R> {
  static constexpr bool is = true;
  static std::vector<std::size_t> presences(const mapped<source<T>, call<F>>& element) {
    return {presence_of<T>(element.call.function)};
  }
  static void add(const std::int64_t* there, std::byte* state) {
    reinterpret_cast<fold_state<R>*>(state)->lane[0].n += there[0];
  }
};
template <typename T, typename... Fs, typename Out, typename... Values, typename... Rs>
  requires(counts_field<Fs, T, Rs> && ...)
struct counted<mapped<source<T>, call<projections<Fs...>>>,
               several<Out, values_of_parts<Values...>, lane_states<Rs, 1>...>> {
  using reducer = several<Out, values_of_parts<Values...>, lane_states<Rs, 1>...>;
  static constexpr bool is = true;
  static std::vector<std::size_t> presences(
      const mapped<source<T>, call<projections<Fs...>>>& element) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) -> std::vector<std::size_t> {
      return {presence_of<T>(element.call.function.template function_at<I>())...};
    }(std::index_sequence_for<Fs...>());
  }
  static void add(const std::int64_t* there, std::byte* state) {
    auto& states = reinterpret_cast<fold_state<reducer>*>(state)->lane[0].states;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((get<I>(states).only.n += there[I]), ...);
    }(std::index_sequence_for<Rs...>());
  }
};

template <typename R, typename E>
void set_counted([[maybe_unused]] fold_params& params, [[maybe_unused]] const E& element) {
  if constexpr (counted<E, R>::is)
    params.counted = {counted<E, R>::presences(element), counted<E, R>::add};
}

}  // namespace pappus::detail
