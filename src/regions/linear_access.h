// Accesses whose slices are linear in the index, once a launch's values are known: questions about
// them have answers in closed form, a few nanoseconds each, whatever the number of indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "regions/affine.h"
#include "regions/box.h"
#include "regions/footprint.h"

namespace pappus::regions {

/// low[d](i) to high[d](i), inclusive, in each dimension of an array.
struct linear_access {
  std::size_t rank = 0;  ///< of the array
  std::array<affine, rank_max> low, high;
  friend bool operator==(const linear_access&, const linear_access&) = default;
};

/// None: a slice isn't linear over these indices, or there are no indices.
std::optional<linear_access> linear(const access& by, const box& indices,
                                    std::span<const std::int64_t> symbols, const box& array);

/// How the elements that indices touch lie to each other.
enum class spread : std::uint8_t {
  mixed,  ///< two indices may touch the same element
  apart,  ///< no two do, but there may be elements between theirs
  tiles,  ///< no two do, and boxes of indices fill boxes of elements
};

/// Proven, not guessed: `mixed` says only that the proof of a dimension of its own for each index
/// variable, with a factor of at least (tiles: exactly) the slice's length, doesn't succeed.
/// Variables with one value over `indices` don't matter. O(rank²).
spread spread_of(const linear_access& by, const box& indices) noexcept;

/// The same of slices that needn't be linear, by linear functions around them: `apart` at most.
/// b[64*i:min(64*i+64,n)-1] is.
spread spread_of(const access& by, const box& indices, std::span<const std::int64_t> symbols,
                 const box& array);

/// Dimensions of the index, as bits, of which no two values touch the same element, whatever the
/// other dimensions' are. Proven as for spread_of.
unsigned dimensions_apart(const linear_access& by, const box& indices) noexcept;

/// A box that holds all indices that touch one of these elements: what each bound of each dimension
/// allows. The smallest such box for an access that `tiles`. O(rank²).
box touching(const linear_access& by, const box& elements, const box& indices) noexcept;

/// In each dimension of the index, all that q[d] - p[d] can be where index q of one access touches
/// what index p of another does; one of them empty: none does. Everything: no bound was found.
/// Between launches over the same space it is what has to be done before.
std::array<interval, rank_max> distances(const linear_access& from,
                                         const linear_access& to) noexcept;

}  // namespace pappus::regions
