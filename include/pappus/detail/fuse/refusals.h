// What operators refuse, and the sentence that a compiler then says first.
//
// An operator is one template that takes anything. What it can't work with chooses an overload that
// is more constrained and declared unavailable with a sentence: the first line of the compiler's
// output is then the user's own line with that sentence. A static_assert in the template would come
// after a stack of headers, a `requires` of the template itself after a list of candidates.
//
// Overloads of one operator exclude each other: those that refuse what a function returns require
// that it can be called.
#pragma once

#include <concepts>
#include <type_traits>
#include <vector>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/aggregate.h"
#include "pappus/detail/fuse/function.h"

namespace pappus {
template <typename T>
class records;
template <typename E>
class query;
}  // namespace pappus

namespace pappus::detail {

/// Overloads that refuse, for aggregates of all records and of groups.
template <typename T>
class aggregate_refusals : public several_refusals<T> {
 public:
  template <typename R>
    requires reducer_without_merge<R, T>
  PAPPUS_REFUSED("reduce: the reducer has no void merge(const R&), which adds another's records")
  refused<T> reduce(R = R{}) const {
    return {};
  }
  template <typename R>
    requires operator_without_identity<R, T>
  PAPPUS_REFUSED("reduce: an operator needs its identity first, as in reduce(0, op)")
  refused<T> reduce(R) const {
    return {};
  }
  template <typename R>
    requires no_reducer_of<R, T>
  PAPPUS_REFUSED("reduce: a reducer needs void accumulate(const T&) and void merge(const R&)")
  refused<T> reduce(R = R{}) const {
    return {};
  }
  template <typename R>
    requires reducer_that_owns<R, T>
  PAPPUS_REFUSED("reduce: the reducer" PAPPUS_ISNT_A_RECORD)
  refused<T> reduce(R = R{}) const {
    return {};
  }

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("sum: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> sum(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires sums_not<F, T>
  PAPPUS_REFUSED("sum: the values have no operator+=: give a projection, as in sum(&sale::price)")
  refused<T> sum(F = {}) const {
    return {};
  }

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("mean: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> mean(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED("mean: the values aren't numbers: give a projection, as in mean(&sale::price)")
  refused<T> mean(F = {}) const {
    return {};
  }

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("variance: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> variance(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED(
      "variance: the values aren't numbers: give a projection, as in variance(&sale::price)")
  refused<T> variance(F = {}) const {
    return {};
  }

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("min: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T>(min)(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires orders_not<F, T>
  PAPPUS_REFUSED("min: the values have no operator<: give a projection, as in min(&sale::price)")
  refused<T>(min)(F = {}) const {
    return {};
  }

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("max: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T>(max)(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires orders_not<F, T>
  PAPPUS_REFUSED("max: the values have no operator<: give a projection, as in max(&sale::price)")
  refused<T>(max)(F = {}) const {
    return {};
  }

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("first: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> first(F = {}) const {
    return {};
  }
};

/// Overloads that refuse, for operators that go record by record.
template <typename T>
class element_refusals {
 public:
  template <typename F, typename... More>
    requires(!(is_shared_rows<More> && ...))
  PAPPUS_REFUSED("map: after the function expected shared data, as q.shared() makes of a query")
  refused<T> map(F, const More&...) const {
    return {};
  }
  template <typename F, typename... Sides>
    requires(!takes_record<F, T, Sides...>)
  PAPPUS_REFUSED("map: the function" PAPPUS_CANT_BE_CALLED)
  refused<T> map(F, const shared_rows<Sides>&...) const {
    return {};
  }
  template <typename F, typename... Sides>
    requires returns_no_record<F, T, Sides...>
  PAPPUS_REFUSED("map: what the function returns" PAPPUS_ISNT_A_RECORD)
  refused<T> map(F, const shared_rows<Sides>&...) const {
    return {};
  }

  template <typename P, typename... More>
    requires(!(is_shared_rows<More> && ...))
  PAPPUS_REFUSED("filter: after the predicate expected shared data, as q.shared() makes of a query")
  refused<T> filter(P, const More&...) const {
    return {};
  }
  template <typename P, typename... Sides>
    requires(!takes_record<P, T, Sides...>)
  PAPPUS_REFUSED("filter: the predicate" PAPPUS_CANT_BE_CALLED)
  refused<T> filter(P, const shared_rows<Sides>&...) const {
    return {};
  }
  template <typename P, typename... Sides>
    requires returns_no_bool<P, T, Sides...>
  PAPPUS_REFUSED("filter: the predicate must return bool")
  refused<T> filter(P, const shared_rows<Sides>&...) const {
    return {};
  }

  template <typename F, typename... More>
    requires(!(is_shared_rows<More> && ...))
  PAPPUS_REFUSED(
      "flat_map: after the function expected shared data, as q.shared() makes of a query")
  refused<T> flat_map(F, const More&...) const {
    return {};
  }
  template <typename F, typename... Sides>
    requires(!takes_record<F, T, Sides...>)
  PAPPUS_REFUSED("flat_map: the function" PAPPUS_CANT_BE_CALLED)
  refused<T> flat_map(F, const shared_rows<Sides>&...) const {
    return {};
  }
  template <typename F, typename... Sides>
    requires returns_no_range<F, T, Sides...>
  PAPPUS_REFUSED("flat_map: the function must return a range of records, such as a std::vector")
  refused<T> flat_map(F, const shared_rows<Sides>&...) const {
    return {};
  }
  template <typename F, typename... Sides>
    requires returns_range_of_no_records<F, T, Sides...>
  PAPPUS_REFUSED("flat_map: an element of what the function returns" PAPPUS_ISNT_A_RECORD)
  refused<T> flat_map(F, const shared_rows<Sides>&...) const {
    return {};
  }

  template <typename Total, typename Op>
    requires(!folds_into<Op, Total, T>)
  PAPPUS_REFUSED(
      "reduce: the operator can't be called with a total and a record, or with two totals; totals "
      "have the type of the identity")
  refused<T> reduce(Total, Op) const {
    return {};
  }

  template <typename... Others>
    requires(!(std::same_as<typename Others::value_type, T> && ...))
  PAPPUS_REFUSED("concat: all collections must hold the same record type")
  refused<T> concat(const query<Others>&...) const {
    return {};
  }

  template <typename P>
    requires(!takes_record<P, T>)
  PAPPUS_REFUSED("any: the predicate" PAPPUS_CANT_BE_CALLED)
  refused<T> any(P) const {
    return {};
  }
  template <typename P>
    requires(!takes_record<P, T>)
  PAPPUS_REFUSED("all: the predicate" PAPPUS_CANT_BE_CALLED)
  refused<T> all(P) const {
    return {};
  }
};

/// Overloads that refuse, for scans.
template <typename T>
class scan_refusals {
 public:
  template <typename Op>
    requires(!binary<Op, T>)
  PAPPUS_REFUSED("inclusive_scan: the operator can't be called with two records")
  refused<T> inclusive_scan(Op) const {
    return {};
  }
  template <typename R, typename Op>
    requires(!std::is_convertible_v<T, R> || !binary<Op, R>)
  PAPPUS_REFUSED(
      "exclusive_scan: the operator can't be called with two values of the first argument's type, "
      "to which records convert")
  refused<T> exclusive_scan(R, Op) const {
    return {};
  }
};

/// Overloads that refuse, for groups.
template <typename T>
class group_refusals : public aggregate_refusals<T> {
 public:
  PAPPUS_REFUSED(
      "group_by: groups aren't records: say what is computed of each: count(), sum(projection), "
      "..., reduce<R>(), or map_groups(f)")
  refused<T> collect() const { return {}; }
};

/// Refuses what needs rows: a query has none before it runs.
template <typename T>
class row_refusals {
 public:
  PAPPUS_REFUSED("a query has no rows before it runs: call collect() first")
  const T* begin() const { return nullptr; }
  PAPPUS_REFUSED("a query has no rows before it runs: call collect() first")
  const T* end() const { return nullptr; }
  PAPPUS_REFUSED("a query has no rows before it runs: call collect() first")
  operator records<T>() const { return {}; }
  PAPPUS_REFUSED("a query has no rows before it runs: call collect().to_vector()")
  operator std::vector<T>() const { return {}; }
};

}  // namespace pappus::detail
