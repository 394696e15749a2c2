// Sets of records: union_with, intersect, except.
//
// Records must be keys (group.h) and are compared as distinct() compares them: NaN is NaN, -0.0 is
// 0.0, strings match by content, what is missing equals what is missing. Each result has every
// record once, in ascending order.
//
// All three are made of other operators. To group the records of both sides, each marked with its
// side, in one pass would need no index; but it copies both sides, and where most records are
// different, sorts those too that are left out.
#pragma once

#include "pappus/group.h"
#include "pappus/join.h"
#include "pappus/parts.h"

namespace pappus {
namespace detail {

/// The different records of one side that the other has, or hasn't. Those that are missing, which
/// no join matches, are equal here.
template <join_kind Kind, typename E, typename Other>
collection<value_of<E>> different_rows(const char* name, const query<E>& rows,
                                       const query<Other>& other) {
  constexpr to_itself same;
  return make_join<Kind>(name, rows, other.distinct(), same, same, no_combination{}).distinct();
}

}  // namespace detail

/// The records of this collection and the others, each different one once, in ascending order.
///
/// Queries are put into memory before they are grouped. To find each side's different records first
/// would need less memory where few are different, but took twice as long where many are.
/// Cost: O(n + d log d) for d different records of n.
template <typename E>
template <typename... Others>
collection<typename query<E>::value_type> query<E>::union_with(
    const query<Others>&... others) const {
  return concat(others...).distinct();
}

/// The different records of this that other has, too, in ascending order.
///
/// Looks up this collection's records in an index of other's different ones: neither side is kept,
/// and files stream. An index of all rows of other took half the time where they are all different,
/// but four times as long where a thousand are; and its size is the rows'.
/// Cost: O(n + m + d log d) for rows of this and other and d different records.
template <typename E>
template <typename Other>
collection<typename query<E>::value_type> query<E>::intersect(const query<Other>& other) const {
  return detail::different_rows<detail::join_kind::semi>("semi_join", *this, other);
}

/// The different records of this that other hasn't, in ascending order. Cost: see intersect.
template <typename E>
template <typename Other>
collection<typename query<E>::value_type> query<E>::except(const query<Other>& other) const {
  return detail::different_rows<detail::join_kind::anti>("anti_join", *this, other);
}

}  // namespace pappus
