// What reducers say of themselves (reducers.h), and what they yield.
#pragma once

#include <utility>

namespace pappus::detail {

/// Whether a reducer says that records, and states, may come in any order.
template <typename R>
inline constexpr bool is_commutative = false;
template <typename R>
  requires requires { R::commutative; }
inline constexpr bool is_commutative<R> = R::commutative;

/// Whether a reducer says that it gives the same bits wherever rows are cut.
template <typename R>
inline constexpr bool is_exact = is_commutative<R>;
template <typename R>
  requires requires { R::exact; }
inline constexpr bool is_exact<R> = R::exact || is_commutative<R>;

template <typename R>
auto finalized(const R& reducer) {
  if constexpr (requires { reducer.finalize(); })
    return reducer.finalize();
  else
    return reducer;
}
template <typename R>
using result_of = decltype(finalized(std::declval<const R&>()));

}  // namespace pappus::detail
