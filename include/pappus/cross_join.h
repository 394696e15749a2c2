// cross_join: every pair of a record of one collection and one of another.
#pragma once

#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <utility>

#include "pappus/detail/fuse/composed_joins.h"
#include "pappus/query.h"

namespace pappus::detail {

template <typename Combine>
struct crossed_with {
  Combine combine;
  template <typename L, typename R>
  auto operator()(const L& left, std::span<const R> right) const {
    return right | std::views::transform([this, at = std::addressof(left)](const R& row) {
             return std::invoke(combine, *at, row);
           });
  }
};

/// Right's records are put into memory; left's are never stored, and the pairs fuse with what
/// follows. Cost: n m calls of combine.
template <typename Of, typename T>
template <typename Right, typename Combine>
  requires std::is_invocable_v<const Combine&, const T&, const typename Right::value_type&>
auto composed_joins<Of, T>::cross_join(const query<Right>& right, Combine combine) const {
  return static_cast<const Of&>(*this).flat_map(crossed_with<Combine>{std::move(combine)},
                                                right.shared());
}

}  // namespace pappus::detail
