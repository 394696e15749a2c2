// take_while, skip_while: the records up to where something changes.
//
// The first record for which p doesn't hold is found in a pass of its own; the second one keeps
// what lies before it, or behind. So both are as parallel as a filter, and p must be the same for
// the same record. A query that is dear to compute should be materialised before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "pappus/detail/fuse/windows.h"
#include "pappus/missing.h"
#include "pappus/query.h"

namespace pappus::detail {

/// The number of a record that doesn't pass.
template <typename P>
struct number_unless {
  P p;
  template <typename T>
  std::optional<std::int64_t> operator()(const indexed<T>& row) const {
    if (std::invoke(p, row.value)) return std::nullopt;
    return row.index;
  }
};
template <bool Before>
struct lies_before {
  template <typename T>
  bool operator()(const indexed<T>& row, std::span<const std::optional<std::int64_t>> first) const {
    return (!first[0] || row.index < *first[0]) == Before;
  }
};

template <bool Before, typename E, typename P>
auto part_of_rows(const query<E>& of, P p) {
  using T = value_of<E>;
  const auto rows = of.enumerate();
  const auto first = (rows.map(number_unless<P>{std::move(p)}).min)();
  const collection<std::optional<std::int64_t>> number(access::session(of), access::node(first));
  return rows.filter(lies_before<Before>{}, number.shared()).map(&indexed<T>::value);
}

template <typename Of, typename T>
template <typename P>
  requires(takes_record<P, T> && !returns_no_bool<P, T>)
auto while_members<Of, T>::take_while(P p) const {
  return part_of_rows<true>(static_cast<const Of&>(*this), std::move(p));
}
template <typename Of, typename T>
template <typename P>
  requires(takes_record<P, T> && !returns_no_bool<P, T>)
auto while_members<Of, T>::skip_while(P p) const {
  return part_of_rows<false>(static_cast<const Of&>(*this), std::move(p));
}

}  // namespace pappus::detail
