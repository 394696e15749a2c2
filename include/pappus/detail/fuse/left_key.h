// The key of a group_by behind a join that is a function of the left record: left(f) (join.h).
//
// Told apart from other keys, it shows that which group a pair belongs to is settled by its left
// row. So a loop that finds the left rows and the right side's keys unchanged knows where each pair
// goes (loops/group_routes.h).
#pragma once

namespace pappus::detail {

/// What left(f) makes.
template <typename F>
struct left_key {
  F function;
};
template <typename Key>
inline constexpr bool is_left_key = false;
template <typename F>
inline constexpr bool is_left_key<left_key<F>> = true;

}  // namespace pappus::detail
