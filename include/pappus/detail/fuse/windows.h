// What looks at the records around a record, as members of groups and queries: over, take_while,
// skip_while.
//
// They are defined in over.h and take_while.h. Beside each is what it refuses, as in refusals.h.
#pragma once

#include <type_traits>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/aggregate.h"

namespace pappus::detail {

/// What lag(), rank() and their like make.
template <typename W>
concept window_function = requires { W::is_window_function; };
template <typename W>
concept over_something = window_function<W> || is_aggregate<W>;

/// Whether its projections can be called with records of type T, and whether it can use what they
/// return.
template <typename W, typename T>
constexpr bool takes_rows() {
  if constexpr (is_aggregate<W>)
    return takes_record_as_well<W, T>;
  else
    return W::template takes<T>();
}
template <typename W, typename T>
constexpr bool uses_rows() {
  if constexpr (is_aggregate<W>)
    return !reduces_not<W, T>;
  else
    return W::template uses<T>();
}

/// \tparam Of  groups
/// \tparam T   their records
template <typename Of, typename T>
class over_members {
 public:
  /// Each record beside what window functions yield for it, pair{record, result}, or results of
  /// several: over(lag(&sale::at), row_number()). Groups in ascending key order, a group's records
  /// in row order. See over.h.
  template <typename... Windows>
    requires(sizeof...(Windows) > 0 && (over_something<Windows> && ...) &&
             (takes_rows<Windows, T>() && ...) && (uses_rows<Windows, T>() && ...))
  auto over(const Windows&... windows) const;

  template <typename... Windows>
    requires(sizeof...(Windows) == 0 || !(over_something<Windows> && ...))
  PAPPUS_REFUSED("over: expected what to compute, as in over(lag(&sale::at), row_number())")
  refused<T> over(const Windows&...) const {
    return {};
  }
  template <typename... Windows>
    requires(sizeof...(Windows) > 0 && (over_something<Windows> && ...) &&
             !(takes_rows<Windows, T>() && ...))
  PAPPUS_REFUSED("over: a projection" PAPPUS_CANT_BE_CALLED)
  refused<T> over(const Windows&...) const {
    return {};
  }
  template <typename... Windows>
    requires(sizeof...(Windows) > 0 && (over_something<Windows> && ...) &&
             (takes_rows<Windows, T>() && ...) && !(uses_rows<Windows, T>() && ...))
  PAPPUS_REFUSED(
      "over: lag and lead take what can be a record, rank and dense_rank keys that are numbers, "
      "rolling times as numbers, dates or timestamps and a distance of such, aggregates what "
      "aggregate() lets them take: give a projection")
  refused<T> over(const Windows&...) const {
    return {};
  }
};

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class while_members {
 public:
  /// take_while: the records before the first one for which p doesn't hold; skip_while: that one
  /// and all behind it. See take_while.h.
  template <typename P>
    requires(takes_record<P, T> && !returns_no_bool<P, T>)
  auto take_while(P p) const;
  template <typename P>
    requires(takes_record<P, T> && !returns_no_bool<P, T>)
  auto skip_while(P p) const;

  template <typename P>
    requires(!takes_record<P, T>)
  PAPPUS_REFUSED("take_while: the function" PAPPUS_CANT_BE_CALLED)
  refused<T> take_while(P) const {
    return {};
  }
  template <typename P>
    requires returns_no_bool<P, T>
  PAPPUS_REFUSED("take_while: the function must return a bool")
  refused<T> take_while(P) const {
    return {};
  }
  template <typename P>
    requires(!takes_record<P, T>)
  PAPPUS_REFUSED("skip_while: the function" PAPPUS_CANT_BE_CALLED)
  refused<T> skip_while(P) const {
    return {};
  }
  template <typename P>
    requires returns_no_bool<P, T>
  PAPPUS_REFUSED("skip_while: the function must return a bool")
  refused<T> skip_while(P) const {
    return {};
  }
};

}  // namespace pappus::detail
