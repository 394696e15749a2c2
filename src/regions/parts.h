// A box, part by part, and the numbers of its places.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "regions/box.h"

namespace pappus::regions {

/// Of a place among all of a box, from 0, those along the last dimension first.
inline std::int64_t number_in(const box& all, const point& place) {
  std::int64_t result = 0;
  for (std::size_t d = 0; d < all.rank; ++d)
    result = result * all.extent(d) + place[d] - all.low[d];
  return result;
}

/// The place of that number. \param number  below all.volume()
inline point place_in(const box& all, std::int64_t number) {
  point result{};
  for (std::size_t d = all.rank; d-- > 0; number /= all.extent(d))
    result[d] = all.low[d] + number % all.extent(d);
  return result;
}

/// Calls run(part) for the parts of a box of these extents, those along the last dimension first;
/// at its end they are shorter. 0: as long as the box. None for an empty box.
template <typename Run>
void each_part(const box& all, const point& extents, Run&& run) {
  if (all.empty()) return;
  auto part = all;
  const auto begin_at = [&](std::size_t d, std::int64_t low) {
    part.low[d] = low;
    part.high[d] = extents[d] == 0 ? all.high[d] : std::min(all.high[d], low + extents[d]);
  };
  for (std::size_t d = 0; d < all.rank; ++d) begin_at(d, all.low[d]);
  while (true) {
    run(std::as_const(part));
    auto d = all.rank;
    while (d > 0 && part.high[d - 1] == all.high[d - 1]) {
      begin_at(d - 1, all.low[d - 1]);
      --d;
    }
    if (d == 0) return;
    begin_at(d - 1, part.high[d - 1]);
  }
}

/// Calls run(point) for the places of a box, those along the last dimension first.
template <typename Run>
void each_place(const box& all, Run&& run) {
  point one;
  one.fill(1);
  each_part(all, one, [&](const box& part) { run(part.low); });
}

/// Calls run(row) for the rows of a box, along the last dimension.
template <typename Run>
void each_row(const box& all, Run&& run) {
  point row;
  row.fill(1);
  row[all.rank - 1] = 0;
  each_part(all, row, std::forward<Run>(run));
}

}  // namespace pappus::regions
