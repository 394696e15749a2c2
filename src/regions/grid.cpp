#include "regions/grid.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::regions {
namespace {

/// Two places of int64 may be further apart than that.
std::uint64_t apart(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

std::int64_t moved(std::int64_t from, std::uint64_t by) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + by);
}

}  // namespace

cuts cuts::even(std::int64_t low, std::int64_t high, std::int64_t step) {
  if (step < 1)
    throw usage_error(fmt::format("grid: expected cells of at least 1 index, got {}", step));
  cuts result;
  result.low_ = low;
  result.high_ = std::max(low, high);
  result.step_ = step;
  return result;
}

cuts cuts::at(std::vector<std::int64_t> positions) {
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (positions[i - 1] < positions[i]) continue;
    throw usage_error(fmt::format("grid: expected positions that ascend, got {} after {}",
                                  positions[i], positions[i - 1]));
  }
  if (positions.size() < 2)
    throw usage_error(fmt::format("grid: expected at least 2 positions, got {}", positions.size()));
  cuts result;
  result.low_ = positions.front();
  result.high_ = positions.back();
  result.positions_ = std::move(positions);
  return result;
}

std::int64_t cuts::size() const noexcept {
  if (!positions_.empty()) return static_cast<std::int64_t>(positions_.size()) - 1;
  const auto pieces = detail::ceil_div(apart(low_, high_), static_cast<std::uint64_t>(step_));
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(pieces, most));
}

std::int64_t cuts::position(std::int64_t n) const noexcept {
  if (!positions_.empty()) return positions_[static_cast<std::size_t>(n)];
  if (n >= size()) return high_;
  return moved(low_, static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(step_));
}

std::int64_t cuts::piece_of(std::int64_t place) const noexcept {
  if (positions_.empty())
    return static_cast<std::int64_t>(apart(low_, place) / static_cast<std::uint64_t>(step_));
  const auto next = std::upper_bound(positions_.begin(), positions_.end(), place);
  return next - positions_.begin() - 1;
}

grid::grid(std::vector<cuts> dimensions) : dimensions_(std::move(dimensions)) {
  if (dimensions_.size() > rank_max)
    throw usage_error(
        fmt::format("grid: expected at most {} dimensions, got {}", rank_max, dimensions_.size()));
}

box grid::all() const noexcept {
  box result(rank());
  for (std::size_t d = 0; d < rank(); ++d) {
    result.low[d] = dimensions_[d].low();
    result.high[d] = dimensions_[d].high();
  }
  return result;
}

box grid::shape() const noexcept {
  box result(rank());
  for (std::size_t d = 0; d < rank(); ++d) result.high[d] = dimensions_[d].size();
  return result;
}

point grid::coordinates(std::int64_t number) const noexcept {
  point result{};
  for (std::size_t d = rank(); d-- > 0;) {
    const auto pieces = dimensions_[d].size();
    result[d] = number % pieces;
    number /= pieces;
  }
  return result;
}

std::int64_t grid::number(const point& coordinates) const noexcept {
  std::int64_t result = 0;
  for (std::size_t d = 0; d < rank(); ++d) result = result * dimensions_[d].size() + coordinates[d];
  return result;
}

box grid::cell(const point& coordinates) const noexcept {
  box result(rank());
  for (std::size_t d = 0; d < rank(); ++d) {
    result.low[d] = dimensions_[d].position(coordinates[d]);
    result.high[d] = dimensions_[d].position(coordinates[d] + 1);
  }
  return result;
}

box grid::cells(const box& touched) const noexcept {
  const box inside = intersect(touched, all());
  if (inside.empty()) return box(rank());
  box result(rank());
  for (std::size_t d = 0; d < rank(); ++d) {
    result.low[d] = dimensions_[d].piece_of(inside.low[d]);
    result.high[d] = dimensions_[d].piece_of(inside.high[d] - 1) + 1;
  }
  return result;
}

std::string text(const grid& what) {
  if (what.rank() == 0) return "1 cell";
  std::string sizes;
  for (std::size_t d = 0; d < what.rank(); ++d)
    sizes += fmt::format("{}{}", d == 0 ? "" : "x", what.dimension(d).size());
  return fmt::format("{} cell{} of {}", sizes, what.size() == 1 ? "" : "s", text(what.all()));
}

}  // namespace pappus::regions
