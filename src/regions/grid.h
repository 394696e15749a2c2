// A box cut into cells by planes: even steps or chosen positions in each dimension. Cells aren't
// stored, so a grid of 10^12 is as small as one of ten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regions/box.h"

namespace pappus::regions {

/// How one dimension is cut.
class cuts {
 public:
  /// Pieces [low, low + step), [low + step, ..), .., of which the last ends at `high` and may be
  /// shorter. None where low >= high. Throws usage_error where step < 1.
  static cuts even(std::int64_t low, std::int64_t high, std::int64_t step);
  /// A piece between each two neighbours. Throws usage_error where the positions don't ascend.
  static cuts at(std::vector<std::int64_t> positions);

  std::int64_t low() const noexcept { return low_; }
  std::int64_t high() const noexcept { return high_; }
  /// Pieces; 2^63 - 1 stands for that and more.
  std::int64_t size() const noexcept;
  /// Where piece n begins. \param n  from 0 to size()
  std::int64_t position(std::int64_t n) const noexcept;
  /// The piece that a place is in, by division or bisection. \param place  from low() below high()
  std::int64_t piece_of(std::int64_t place) const noexcept;

  friend bool operator==(const cuts&, const cuts&) = default;

 private:
  std::int64_t low_ = 0, high_ = 0, step_ = 1;
  std::vector<std::int64_t> positions_;  // none: even steps
};

/// Cells have numbers from 0, those along the last dimension first, and coordinates: a place in the
/// box `shape()`.
class grid {
 public:
  /// One cell without dimensions.
  grid() = default;
  /// \param dimensions  at most rank_max, the slowest first
  explicit grid(std::vector<cuts> dimensions);

  std::size_t rank() const noexcept { return dimensions_.size(); }
  const cuts& dimension(std::size_t d) const noexcept { return dimensions_[d]; }
  /// All that is cut.
  box all() const noexcept;
  /// From 0 to the number of cells in each dimension.
  box shape() const noexcept;
  /// Cells; 2^63 - 1 stands for that and more.
  std::int64_t size() const noexcept { return shape().volume(); }

  /// \param number  below size(), which is below 2^63 - 1. O(rank).
  point coordinates(std::int64_t number) const noexcept;
  std::int64_t number(const point& coordinates) const noexcept;
  /// O(rank).
  box cell(const point& coordinates) const noexcept;
  box cell(std::int64_t number) const noexcept { return cell(coordinates(number)); }
  /// The coordinates of the cells that meet a box: O(rank), or O(rank·log cuts) for positions.
  box cells(const box& touched) const noexcept;

  friend bool operator==(const grid&, const grid&) = default;

 private:
  std::vector<cuts> dimensions_;
};

/// "4x2 cells of [0:99,0:9]".
std::string text(const grid& what);

}  // namespace pappus::regions
