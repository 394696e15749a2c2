// What reducers say of themselves (reducers.h).
#pragma once

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

}  // namespace pappus::detail
