// Accesses whose element stays the same for some neighbouring indices: view[i,j/8] along j.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "regions/box.h"
#include "regions/footprint.h"

namespace pappus::regions {

/// Along one dimension of the index an access touches one element at a time, and goes on to the
/// next one along a dimension of the array at each index first + n·length.
struct steps {
  std::size_t array_dimension = 0;
  std::int64_t length = 1, first = 0;  ///< 0 <= first < length, if counted from index 0
  friend bool operator==(const steps&, const steps&) = default;
};

/// None: it isn't known to do so over these indices, with steps of two and more. Found for
/// quotients (i+c)/k of numbers from 0 on, and shifts, in one dimension of the array.
std::optional<steps> steps_along(const access& by, std::size_t dimension, const box& indices,
                                 std::span<const std::int64_t> symbols);

/// Whether the index along a dimension has a part in which elements are touched.
bool depends_on(const access& by, std::size_t dimension);

/// The element that an access touches, where it is one and the same for all of these indices.
std::optional<point> only_element(const access& by, const box& indices,
                                  std::span<const std::int64_t> symbols);

}  // namespace pappus::regions
