// Several aggregates in one pass:
//
//     const auto by_carrier = flights.group_by(&flight::carrier)
//                                 .aggregate(mean(&flight::delay), max(&flight::delay), count());
//     for (const auto& [carrier, of] : by_carrier.collect()) {
//       const auto& [delay, longest, flown] = of;
//       ..
//     }
//
//     struct delays { double mean; int longest; std::int64_t flown; };
//     flights.aggregate<delays>(mean(&flight::delay), max(&flight::delay), count()).get().longest;
//
// Records are read once, and of each only what the projections make of it goes on.
#pragma once

#include <type_traits>
#include <utility>

#include "pappus/argmax.h"
#include "pappus/detail/fuse/aggregate.h"
#include "pappus/detail/fuse/projections.h"
#include "pappus/detail/loops/several.h"
#include "pappus/group.h"
#include "pappus/query.h"
#include "pappus/reducers.h"
#include "pappus/results.h"

namespace pappus {
namespace detail {

template <typename Out, typename Values, typename... States>
const char* lacks_records(const several<Out, Values, States...>& of) {
  const char* name = nullptr;
  const auto ask = [&](const auto& state) {
    if constexpr (requires { lacks_records(state); })
      if (name == nullptr) name = lacks_records(state);
  };
  [&]<std::size_t... P>(std::index_sequence<P...>) {
    (ask(get<P>(of.states)), ...);
  }(std::index_sequence_for<States...>());
  return name;
}

/// What aggregates of records of type T have in common.
/// \tparam Out  what their results become; void: results
template <typename Out, typename T, typename... Aggregates>
struct several_of {
  static_assert(sizeof...(Aggregates) <= fields_max, "aggregate: expected at most 64 aggregates");
  using result = std::conditional_t<std::is_void_v<Out>,
                                    results<result_of<aggregate_reducer<T, Aggregates>>...>, Out>;
  using values = values_of_parts<aggregate_value<T, Aggregates>...>;
  using of_groups = several<result, values, aggregate_reducer<T, Aggregates>...>;
  using of_all = several<result, values, lane_states<aggregate_reducer<T, Aggregates>>...>;
};

template <template <typename> typename R, typename F>
aggregate_of<made_for_value<R>, F> one_of_values(F projection) {
  return {std::move(projection), {}};
}
template <template <typename, typename> typename R, typename Value, typename Arg>
aggregate_of<made_for_pair<R>, projections<Value, Arg>> one_of_pairs(Value value, Arg arg) {
  return {projections(value, arg), {}};
}

}  // namespace detail

// What aggregate() takes, of records or of what a projection makes of them. What each yields, also
// of nothing and of NaN, is what the operator of its name yields.

/// The number of records; of a projection, of those where it isn't missing.
inline auto count() { return detail::aggregate_of<detail::made_to_count, detail::to_nothing>{}; }
template <detail::projecting F>
auto count(F projection) {
  return detail::one_of_values<reducers::present>(std::move(projection));
}
/// The number of records for which a predicate holds.
template <detail::projecting F>
auto count_if(F predicate) {
  return detail::one_of_values<reducers::count_true>(std::move(predicate));
}
template <detail::projecting F = detail::to_itself>
auto sum(F projection = {}) {
  return detail::one_of_values<reducers::sum>(std::move(projection));
}
template <detail::projecting F = detail::to_itself>
auto mean(F projection = {}) {
  return detail::one_of_values<reducers::mean>(std::move(projection));
}
template <detail::projecting F = detail::to_itself>
auto variance(F projection = {}) {
  return detail::one_of_values<reducers::variance>(std::move(projection));
}
template <detail::projecting F = detail::to_itself>
auto(min)(F projection = {}) {
  return detail::one_of_values<reducers::min>(std::move(projection));
}
template <detail::projecting F = detail::to_itself>
auto(max)(F projection = {}) {
  return detail::one_of_values<reducers::max>(std::move(projection));
}
template <detail::projecting F = detail::to_itself>
auto first(F projection = {}) {
  return detail::one_of_values<reducers::first>(std::move(projection));
}
template <detail::projecting F = detail::to_itself>
auto last(F projection = {}) {
  return detail::one_of_values<reducers::last>(std::move(projection));
}
/// The greatest or least value and what had it: extreme{value, arg}, see argmax.h.
template <detail::projecting Value, detail::projecting Arg>
auto argmax(Value value, Arg arg) {
  return detail::one_of_pairs<reducers::argmax>(std::move(value), std::move(arg));
}
template <detail::projecting Value, detail::projecting Arg>
auto argmin(Value value, Arg arg) {
  return detail::one_of_pairs<reducers::argmin>(std::move(value), std::move(arg));
}
/// A reducer of yours, or another one of pappus::reducers, a copy of `prototype`.
template <typename R, detail::projecting F = detail::to_itself>
auto reduced(F projection = {}, R prototype = R{}) {
  return detail::aggregate_of<detail::made_before<R>, F>{std::move(projection),
                                                         {std::move(prototype)}};
}

template <typename E>
template <typename Out, typename... Aggregates>
auto query<E>::aggregate(const Aggregates&... wanted) const {
  using reducer = typename detail::several_of<Out, value_type, Aggregates...>::of_all;
  reducer prototype{results(detail::lanes_of_copies(
      wanted.reducer.template of<detail::aggregate_value<value_type, Aggregates>>())...)};
  detail::projections values(wanted.projection...);
  if constexpr (decltype(values)::values == 0)
    return this->reduced_by("aggregate", prototype, detail::to_nothing{});
  else
    return this->reduced_by("aggregate", prototype, values);
}

template <typename E, typename Key, bool Dense>
template <typename Out, typename... Aggregates>
auto grouped<E, Key, Dense>::aggregate(const Aggregates&... wanted) const {
  using reducer = typename detail::several_of<Out, record_type, Aggregates...>::of_groups;
  reducer prototype{
      results(wanted.reducer.template of<detail::aggregate_value<record_type, Aggregates>>()...)};
  detail::projections values(wanted.projection...);
  if constexpr (decltype(values)::values == 0)
    return reduce_named("aggregate", detail::to_nothing{}, std::move(prototype));
  else
    return reduce_named("aggregate", std::move(values), std::move(prototype));
}

}  // namespace pappus
