// What scatter refuses; see refusals.h.
#pragma once

#include <concepts>
#include <cstdint>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"

namespace pappus::detail {

template <typename F, typename T>
concept returns_no_integer = takes_record<F, T> && !std::integral<projected_by<F, T>>;

/// The value function of a scatter isn't its number of records.
template <typename F>
concept no_number = !std::convertible_to<F, std::int64_t>;

/// Overloads that refuse, for scatter.
template <typename T>
class scatter_refusals {
 public:
  template <typename Index, typename... More>
    requires(sizeof...(More) == 0 || (sizeof...(More) == 1 && (no_number<More> && ...)))
  PAPPUS_REFUSED(
      "scatter: after the functions expected how many records the result has, as in "
      "scatter(&row::index, 100)")
  refused<T> scatter(Index, More...) const {
    return {};
  }
  template <typename Index>
    requires(!takes_record<Index, T>)
  PAPPUS_REFUSED("scatter: the index function" PAPPUS_CANT_BE_CALLED)
  refused<T> scatter(Index, std::int64_t, T = {}) const {
    return {};
  }
  template <typename Index>
    requires returns_no_integer<Index, T>
  PAPPUS_REFUSED("scatter: the index function must return an integer, the place of its record")
  refused<T> scatter(Index, std::int64_t, T = {}) const {
    return {};
  }
  template <typename Index, typename Value>
    requires(no_number<Value> && !takes_record<Index, T>)
  PAPPUS_REFUSED("scatter: the index function" PAPPUS_CANT_BE_CALLED)
  refused<T> scatter(Index, Value, std::int64_t, projected_by<Value, T> = {}) const {
    return {};
  }
  template <typename Index, typename Value>
    requires(no_number<Value> && returns_no_integer<Index, T>)
  PAPPUS_REFUSED("scatter: the index function must return an integer, the place of its record")
  refused<T> scatter(Index, Value, std::int64_t, projected_by<Value, T> = {}) const {
    return {};
  }
  template <typename Index, typename Value>
    requires(no_number<Value> && takes_record<Index, T> && !returns_no_integer<Index, T> &&
             returns_no_record<Value, T>)
  PAPPUS_REFUSED("scatter: what the value function returns" PAPPUS_ISNT_A_RECORD)
  refused<T> scatter(Index, Value, std::int64_t, projected_by<Value, T> = {}) const {
    return {};
  }
  template <typename Index, typename Value, typename... Fill>
    requires(no_number<Value> && !takes_record<Value, T>)
  PAPPUS_REFUSED("scatter: the value function" PAPPUS_CANT_BE_CALLED)
  refused<T> scatter(Index, Value, std::int64_t, Fill...) const {
    return {};
  }
};

}  // namespace pappus::detail
