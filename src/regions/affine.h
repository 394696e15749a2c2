// Linear functions of an index: constant + Σ factor·index.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "regions/box.h"
#include "regions/interval.h"

namespace pappus::regions {

struct affine {
  std::int64_t constant = 0;
  point factors{};

  bool is_constant() const noexcept { return factors == point{}; }
  friend bool operator==(const affine&, const affine&) = default;
};

// None: a number of the result doesn't fit into 64 bits.
std::optional<affine> sum(const affine& a, const affine& b) noexcept;
std::optional<affine> difference(const affine& a, const affine& b) noexcept;
std::optional<affine> product(const affine& a, std::int64_t factor) noexcept;

/// The least and the greatest value over a box of indices, exactly; everything where they don't
/// fit. Nothing over an empty box. O(rank).
interval over(const affine& function, const box& indices) noexcept;

}  // namespace pappus::regions
