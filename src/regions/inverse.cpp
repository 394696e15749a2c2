#include "regions/inverse.h"

#include <numeric>

#include "regions/linear_access.h"

namespace pappus::regions {
namespace {

/// The last bound from `near` towards `far` up to which `is_free` holds; it does at `near`. What
/// holds further on but not between doesn't matter: the answer itself was tested.
template <typename Test>
std::int64_t furthest(std::int64_t near, std::int64_t far, Test is_free) {
  if (is_free(far)) return far;
  for (;;) {
    const auto middle = std::midpoint(near, far);
    if (middle == near || middle == far) return near;
    (is_free(middle) ? near : far) = middle;
  }
}

}  // namespace

box touching(const access& by, const box& elements, const box& indices,
             std::span<const std::int64_t> symbols, const box& array) {
  if (const auto closed = linear(by, indices, symbols, array))
    return touching(*closed, elements, indices);
  const auto is_free = [&](const box& part) {
    return !overlap(touched(by, part, symbols, array).elements, elements);
  };
  box found = indices;
  if (found.empty() || is_free(found)) return box(indices.rank);
  for (std::size_t d = 0; d < indices.rank; ++d) {
    const auto part = [&](std::int64_t low, std::int64_t high) {
      box result = found;
      result.low[d] = low, result.high[d] = high;
      return result;
    };
    const auto low = found.low[d], high = found.high[d];
    found.low[d] =
        furthest(low, high, [&](std::int64_t bound) { return is_free(part(low, bound)); });
    const auto first = found.low[d];
    found.high[d] =
        furthest(high, first, [&](std::int64_t bound) { return is_free(part(bound, high)); });
  }
  return found.empty() ? box(indices.rank) : found;
}

}  // namespace pappus::regions
