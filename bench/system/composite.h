// The greenest composite of a satellite's days (Chang et al. 1997): of all samples of a cell of a
// grid, wherever a day has them, the one where most grows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/scratch_file.h"
#include "system/team.h"

namespace pappus::bench::composite {

constexpr std::int64_t days = 10;
constexpr float south = 40, west = 10;  ///< degrees
constexpr float cells_a_degree = 64;

/// The best that was seen, of equal ones the earliest.
struct greenest {
  float ndvi = -2;
  std::int32_t day = -1;
};

/// A day has as many scan lines as samples a line, four of each along a side of a cell.
struct layout {
  std::int64_t side;

  std::int64_t of_day() const { return side * side; }
  std::int64_t cells_a_side() const { return side / 4 + 1; }
  std::size_t cells() const { return static_cast<std::size_t>(cells_a_side() * cells_a_side()); }
};

/// \param n  samples of all days, about
layout layout_of(std::int64_t n);

enum field : std::size_t { red, infrared, latitude, longitude };
constexpr std::size_t fields = 4;

/// Floats, a file a day and field.
struct scenes {
  layout of;
  std::array<std::vector<std::unique_ptr<input_bytes>>, fields> files;

  std::vector<std::string> paths(field which) const;
  std::vector<input_files*> all() const;
};
scenes make_composite(std::int64_t n, std::uint64_t seed, team& workers);

/// Sum of what is best, and one of days by place.
std::string checksum(std::span<const greenest> grid);

/// \param grid  row by row, the south first
void sequential(const scenes& from, std::span<greenest> grid);
void handwritten(const scenes& from, std::span<greenest> grid, team& workers);

}  // namespace pappus::bench::composite
