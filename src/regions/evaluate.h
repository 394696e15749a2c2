// The values of a formula over a box of indices.
//
// Interval arithmetic alone forgets that an index appears twice: (i+1)*n-i*n would be far too wide.
// So results stay linear functions of the index for as long as they are (affine.h), and become
// intervals where something else is done to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "regions/affine.h"
#include "regions/box.h"
#include "regions/expression.h"
#include "regions/interval.h"

namespace pappus::regions {

/// Sound for every formula: no value is outside. What overflows or isn't defined is everything, as
/// is what needs an index beyond the box's rank or a symbol beyond `symbols`. Exact for what is
/// linear in the index once symbols have values, and for quotients, shifts and bounds of that by
/// numbers. Over an empty box: nothing. O(terms·rank).
interval over(const expression& formula, const box& indices, std::span<const std::int64_t> symbols);

/// None: it isn't linear in the index, takes more than 64 bits, or there are no indices.
/// \param indices  where it has to be linear: i%8 is, from 8 to 15
std::optional<affine> linear(const expression& formula, const box& indices,
                             std::span<const std::int64_t> symbols);

/// Linear functions between which the formula is, index by index.
struct linear_bounds {
  std::optional<affine> low, high;  ///< none: no bound was found
};

/// Of a least value's operands either is a bound from above, of a greatest's from below: `second`
/// says which is taken. So 2*i+min(n-2*i,2) is at most n by the first, and 2*i+2 by the second.
linear_bounds bounds(const expression& formula, const box& indices,
                     std::span<const std::int64_t> symbols, bool second);

}  // namespace pappus::regions
