// Any set of places, as few boxes that don't overlap.
//
// The boxes of a set are always the same, whatever it was made of. Along the first dimension the
// set is cut into bands wherever it changes; within a band it looks the same everywhere, so the
// band is that many boxes as its cross-section, which is cut along the next dimension in the same
// way. Seen from the other end: along the last dimension boxes are as long as they can be, then
// equal neighbours are joined along the one before it, and so on. With two dimensions these are the
// y-x bands of the X server's regions (miregion.c). So sets are compared, and plans made of them
// repeat, whichever order they were put together in.
//
// Considered: boxes in no special form, cut only where they must be. They can be fewer (two boxes
// that overlap along the first dimension and not along the last are two; in bands they are four),
// but their number grows with a set's history, and merging is a search. Trees of boxes are for
// thousands; here there are as many as a launch has halos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/small_list.h"
#include "regions/box.h"

namespace pappus::regions {

/// Operators take regions of the same rank. With n boxes in both they take O(n²) steps for each
/// dimension where boxes lie beside each other, and nothing where one of them is empty.
class region {
 public:
  using box_list = base::small_list<box, 3>;

  /// The empty one.
  explicit region(std::size_t rank) : rank_(rank) {}
  region(const box& all);  // a box is a region
  /// All places of boxes, which may overlap.
  region(std::size_t rank, std::span<const box> all);

  std::size_t rank() const noexcept { return rank_; }
  bool empty() const noexcept { return boxes_.empty(); }
  /// None is empty, no two overlap; in the order of their lowest corners.
  std::span<const box> boxes() const noexcept { return {boxes_.data(), boxes_.size()}; }
  /// Places; 2^63 - 1 stands for that and more.
  std::int64_t volume() const noexcept;
  /// The smallest box around it.
  box hull() const noexcept;
  bool contains(const point& one) const noexcept;
  /// Whether all places of the other are in it.
  bool covers(const region& other) const;
  bool overlaps(const box& other) const noexcept;

  friend region operator|(const region& a, const region& b);
  friend region operator&(const region& a, const region& b);
  /// What is in a and not in b.
  friend region operator-(const region& a, const region& b);
  friend bool operator==(const region& a, const region& b) = default;

 private:
  std::size_t rank_;
  box_list boxes_;
};

/// "[0:9,5], [3,0:2]"; "nothing".
std::string text(const region& what);

}  // namespace pappus::regions
