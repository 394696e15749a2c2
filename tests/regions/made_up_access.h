// Random accesses, and what they name index by index.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regions/box.h"
#include "regions/footprint.h"
#include "regions/made_up.h"

namespace pappus::regions {

/// \param is_linear  only linear formulas
inline access an_access(made_up& from, std::size_t array_rank, std::size_t rank, bool is_linear) {
  const auto formula = [&]() -> expression {
    return is_linear ? from.a_linear_formula(rank, 2) : from.a_formula(rank, 2);
  };
  access result;
  for (std::size_t d = 0; d < array_rank; ++d) {
    auto& added = result.slices.emplace_back();
    if (from.one_in(8)) continue;
    added.low = rank > 0 && from.one_in(2) ? expression::index(from.below(rank)) : formula();
    if (from.one_in(3)) added.low = *added.low * from.between(-3, 3);
    added.high = from.one_in(4) ? formula() : *added.low + from.between(0, 2);
    if (from.one_in(16)) (from.one_in(2) ? added.low : added.high).reset();
  }
  return result;
}

/// What one index names, whether it is in the array or not; none: a formula isn't defined there.
inline std::optional<box> named_at(const access& by, const point& index,
                                   const std::vector<std::int64_t>& symbols, const box& array) {
  box result = array;
  for (std::size_t d = 0; d < by.slices.size(); ++d) {
    const auto& [low, high] = by.slices[d];
    const auto first = low ? value_at(*low, index, symbols) : array.low[d];
    const auto last = high ? value_at(*high, index, symbols) : array.high[d] - 1;
    if (!first || !last || *last == interval::most) return std::nullopt;
    result.low[d] = *first;
    result.high[d] = *last + 1;
  }
  return result;
}

/// From 0 to a few elements along each dimension.
inline box an_array(made_up& from, std::size_t rank) {
  box result(rank);
  for (std::size_t d = 0; d < rank; ++d) result.high[d] = from.between(0, 12);
  return result;
}

}  // namespace pappus::regions
