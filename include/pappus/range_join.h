// range_join: pairs of records of which one lies between two bounds of the other.
//
//     visits.range_join(payments, &visit::user, &payment::user, &visit::from, &visit::to,
//                       &payment::at, [](const visit& v, const payment& p) { return ...; });
//
// Right's records are sorted as for an asof_join; two binary searches find the first and the last
// of a left record's run that lie between its bounds, and all between these match.
//
//   Order    left's records in order; for one of them, its matches in the order of their points, of
//            equal ones that of right.
//   Bounds   are included. A bound or a point that is missing or NaN matches nothing.
//   Memory   right's records, their keys and points; left isn't stored.
//   Time     of right's sort; for each left record a look-up and the searches; and of the pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <ranges>
#include <span>

#include "pappus/asof_join.h"
#include "pappus/detail/fuse/composed_joins.h"
#include "pappus/query.h"

namespace pappus::detail {

template <typename Low, typename High, typename Combine>
struct lying_between {
  Low low;
  High high;
  Combine combine;

  template <typename In, typename Point, typename R>
  auto operator()(const In& left, std::span<const Point> points, std::span<const R> rows) const {
    const auto& record = record_of(left);
    const auto own_low = std::invoke(low, record);
    const auto own_high = std::invoke(high, record);
    std::span<const R> found;
    if (has_time(own_low) && has_time(own_high)) {
      const auto of_run = run_of(left, points);
      const auto first =
          std::ranges::lower_bound(of_run, Point{present_of<std::identity>{}(own_low)});
      const auto last = std::ranges::upper_bound(first, of_run.end(),
                                                 Point{present_of<std::identity>{}(own_high)});
      found = run_of(left, rows)
                  .subspan(static_cast<std::size_t>(first - of_run.begin()),
                           static_cast<std::size_t>(last - first));
    }
    return found | std::views::transform([this, at = std::addressof(record)](const R& row) {
             return std::invoke(combine, *at, row);
           });
  }
};

template <typename Low, typename High, typename Combine>
auto pairing_between(const Low& low, const High& high, const Combine& combine) {
  const lying_between<Low, High, Combine> between{low, high, combine};
  return [between](const auto& left, const auto& points, const auto& rows) {
    return left.flat_map(between, points, rows);
  };
}

template <typename Of, typename T>
template <typename Right, typename Low, typename High, typename Point, typename Combine>
  requires(mistake_in_range<T, Right, Low, High, Point, Combine>() == asof_mistake::none)
auto composed_joins<Of, T>::range_join(const query<Right>& right, Low low, High high, Point point,
                                       Combine combine) const {
  return beside_times(static_cast<const Of&>(*this), right, point,
                      pairing_between(low, high, combine));
}
template <typename Of, typename T>
template <typename Right, typename LeftKey, typename RightKey, typename Low, typename High,
          typename Point, typename Combine>
  requires(mistake_in_keyed_range<T, Right, LeftKey, RightKey, Low, High, Point, Combine>() ==
           asof_mistake::none)
auto composed_joins<Of, T>::range_join(const query<Right>& right, LeftKey left_key,
                                       RightKey right_key, Low low, High high, Point point,
                                       Combine combine) const {
  return beside_runs(static_cast<const Of&>(*this), right, left_key, right_key, point,
                     pairing_between(low, high, combine));
}

}  // namespace pappus::detail
