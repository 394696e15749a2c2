// Chunks whose dimensions are stored in another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pappus::formats {

/// Copies a box of items to row-major order.
/// \param extents  of the box as it will be
/// \param room     extents of the box whose first items it will be
/// \param order    stored dimension i is dimension order[i] of the box
void to_row_major(const std::byte* from, std::byte* to, std::vector<std::int64_t> extents,
                  std::vector<std::int64_t> room, std::vector<std::size_t> order,
                  std::size_t item_bytes);

}  // namespace pappus::formats
