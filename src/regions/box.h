// Boxes: the places between two corners, in up to four dimensions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/small_list.h"

namespace pappus::regions {

inline constexpr std::size_t rank_max = 4;

/// The numbers of a place, the slowest dimension first; those beyond the rank are 0.
using point = std::array<std::int64_t, rank_max>;

/// The places p with low[d] <= p[d] < high[d] in each dimension. Without dimensions there is one
/// place, so such a box is never empty. Whatever takes two boxes wants them of the same rank.
struct box {
  std::size_t rank = 0;
  point low{}, high{};

  box() = default;
  /// \param lows, highs  of the same size, at most rank_max
  box(std::initializer_list<std::int64_t> lows, std::initializer_list<std::int64_t> highs);
  /// An empty one.
  explicit box(std::size_t dimensions) : rank(dimensions) {}

  bool empty() const noexcept {
    for (std::size_t d = 0; d < rank; ++d)
      if (low[d] >= high[d]) return true;
    return false;
  }
  /// Places along a dimension; 2^63 - 1 stands for that and more. 0: there are none.
  std::int64_t extent(std::size_t dimension) const noexcept;
  /// All places; 2^63 - 1 stands for that and more.
  std::int64_t volume() const noexcept;

  /// The same places: all empty boxes of a rank are equal.
  friend bool operator==(const box& a, const box& b) noexcept {
    if (a.rank != b.rank) return false;
    if (a.empty() || b.empty()) return a.empty() && b.empty();
    return a.low == b.low && a.high == b.high;
  }
};

bool contains(const box& all, const point& one) noexcept;
/// An empty box is in every other.
bool contains(const box& all, const box& part) noexcept;
/// Whether they have a place in common.
bool overlap(const box& a, const box& b) noexcept;
box intersect(const box& a, const box& b) noexcept;
/// That of its place with the lowest numbers alone.
box first_place(const box& of) noexcept;
/// The smallest box that contains both.
box hull(const box& a, const box& b) noexcept;
/// What is left of `from`, as at most 2·rank boxes that don't overlap. Cuts are made along the
/// first dimension first, so that pieces are as long as they can be along the last: there elements
/// are neighbours in memory.
base::small_list<box, 2 * rank_max> subtract(const box& from, const box& what);

/// a + b where that fits, else 2^63 - 1. For what isn't negative.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept;
/// a·b where that fits, else 2^63 - 1. For what isn't negative.
std::int64_t saturated_product(std::int64_t a, std::int64_t b) noexcept;

/// As users write it, bounds inclusive: "[0:9,5]"; "[]" without dimensions; "nothing".
std::string text(const box& what);

}  // namespace pappus::regions
