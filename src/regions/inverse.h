// Which indices of a launch touch a box of elements: what an edge between two launches asks.
#pragma once

#include <cstdint>
#include <span>

#include "regions/box.h"
#include "regions/footprint.h"

namespace pappus::regions {

/// A box that holds all indices that touch one of these elements. In closed form where slices are
/// linear (linear_access.h, which has the same for accesses that are asked often). Else by
/// bisection in one dimension after the other: indices at an end go as long as they are proven to
/// touch none of the elements, in O(terms·rank²·log indices).
box touching(const access& by, const box& elements, const box& indices,
             std::span<const std::int64_t> symbols, const box& array);

}  // namespace pappus::regions
