// One of several aggregates, as aggregate() takes it: a projection, and which reducer its values
// get.
#pragma once

#include <type_traits>
#include <utility>

#include "pappus/detail/base/reducer_traits.h"
#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/projections.h"
#include "pappus/reducers.h"

namespace pappus::detail {

/// \tparam Reducer  of<T>() makes that for values of type T
template <typename Reducer, typename F>
struct aggregate_of {
  F projection;
  Reducer reducer;
};

template <template <typename> typename R>
struct made_for_value {
  template <typename T>
  R<T> of() const {
    return {};
  }
};
template <template <typename, typename> typename R>
struct made_for_pair {
  template <typename T>
  auto of() const {
    return R<std::tuple_element_t<0, T>, std::tuple_element_t<1, T>>{};
  }
};
struct made_to_count {
  template <typename>
  reducers::count of() const {
    return {};
  }
};
template <typename R>
struct made_before {
  R prototype;
  template <typename>
  R of() const {
    return prototype;
  }
};

/// A function, a member or what can be called; no rows: `mean(rows)` may mean a function of the
/// user's.
template <typename F>
concept projecting = std::is_member_pointer_v<F> || std::is_pointer_v<F> ||
                     (std::is_class_v<F> && !requires { typename F::value_type; });

template <typename T>
inline constexpr bool is_aggregate = false;
template <typename Reducer, typename F>
inline constexpr bool is_aggregate<aggregate_of<Reducer, F>> = true;

template <typename Aggregate, typename T>
concept takes_record_as_well = takes_record<decltype(Aggregate::projection), T>;

/// It projects records of type T to what its reducer can't take.
template <typename Aggregate, typename T>
inline constexpr bool reduces_not = false;
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_value<reducers::count_true>, F>, T> =
    decides_not<F, T>;
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_value<reducers::sum>, F>, T> =
    sums_not<F, T>;
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_value<reducers::mean>, F>, T> =
    averages_not<F, T>;
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_value<reducers::variance>, F>, T> =
    averages_not<F, T>;
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_value<reducers::min>, F>, T> =
    orders_not<F, T>;
template <typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_value<reducers::max>, F>, T> =
    orders_not<F, T>;
template <template <typename, typename> typename R, typename Value, typename Arg, typename T>
inline constexpr bool reduces_not<aggregate_of<made_for_pair<R>, projections<Value, Arg>>, T> =
    orders_not<Value, T>;
template <typename R, typename F, typename T>
inline constexpr bool reduces_not<aggregate_of<made_before<R>, F>, T> =
    takes_record<F, T> && !(accumulates<R, projected_by<F, T>> && merges<R>);

/// Of records of type T.
template <typename T, typename Aggregate>
using aggregate_value = projection_of<decltype(Aggregate::projection), T>;
template <typename T, typename Aggregate>
using aggregate_reducer = decltype(std::declval<decltype(Aggregate::reducer)>()
                                       .template of<aggregate_value<T, Aggregate>>());

/// A struct can be made of results, which are all of its fields.
template <typename Out, typename... Results>
concept made_of = requires(const Results&... each) { Out{each...}; } &&
                  (field_count<Out>() == 0 || field_count<Out>() == sizeof...(Results));

/// Overloads of aggregate() that refuse.
template <typename T>
class several_refusals {
 public:
  template <typename Out = void, typename... Aggregates>
    requires(sizeof...(Aggregates) == 0 || !(is_aggregate<Aggregates> && ...))
  PAPPUS_REFUSED(
      "aggregate: expected what to compute, as in aggregate(mean(&sale::price), count())")
  refused<T> aggregate(const Aggregates&...) const {
    return {};
  }
  template <typename Out = void, typename... Aggregates>
    requires(sizeof...(Aggregates) > 0 && (is_aggregate<Aggregates> && ...) &&
             !(takes_record_as_well<Aggregates, T> && ...))
  PAPPUS_REFUSED("aggregate: a projection" PAPPUS_CANT_BE_CALLED)
  refused<T> aggregate(const Aggregates&...) const {
    return {};
  }
  template <typename Out = void, typename... Aggregates>
    requires((is_aggregate<Aggregates> && ...) && (takes_record_as_well<Aggregates, T> && ...) &&
             (reduces_not<Aggregates, T> || ...))
  PAPPUS_REFUSED(
      "aggregate: sum takes what has operator+=, mean and variance numbers, min, max, argmin and "
      "argmax what has operator<, approx_quantile numbers, approx_count_distinct keys, count_if a "
      "bool, reduced<R> what R accumulates: give a projection, as in sum(&sale::price)")
  refused<T> aggregate(const Aggregates&...) const {
    return {};
  }
  template <typename Out = void, typename... Aggregates>
    requires(!std::is_void_v<Out> && (is_aggregate<Aggregates> && ...) &&
             (takes_record_as_well<Aggregates, T> && ...) && !(reduces_not<Aggregates, T> || ...) &&
             !made_of<Out, result_of<aggregate_reducer<T, Aggregates>>...>)
  PAPPUS_REFUSED(
      "aggregate: the struct can't be made of the results: expected a field for each of them, in "
      "this order, of its type: std::int64_t for count(), double for mean, ...")
  refused<T> aggregate(const Aggregates&...) const {
    return {};
  }
};

}  // namespace pappus::detail
