// The virtual microscope (Afework et al. 1998): a part of a slide, smaller. A pixel of the view is
// the mean of a block of the slide's, or its first one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/scratch_file.h"
#include "system/team.h"

namespace pappus::bench::vmscope {

constexpr std::int64_t factor = 8;   ///< pixels of the slide, along each dimension
constexpr std::int64_t tile = 512;   ///< the same, of a tile
constexpr std::int64_t colours = 3;  ///< bytes a pixel
using colour = std::uint8_t;

/// A slide, and the square of it that is viewed. The square begins where blocks of a tile do.
struct layout {
  std::int64_t width, height;  ///< of the slide, in pixels
  std::int64_t left, top, side;

  std::int64_t tiles_across() const { return (width + tile - 1) / tile; }
  std::int64_t tiles_down() const { return (height + tile - 1) / tile; }
  std::int64_t view_side() const { return side / factor; }
  std::size_t view_bytes() const {
    return static_cast<std::size_t>(view_side() * view_side() * colours);
  }
};

/// \param n  pixels of the square, about
layout layout_of(std::int64_t n);

/// One slide in two files.
struct slide {
  layout of;
  input_bytes rows;   ///< row by row
  input_bytes tiles;  ///< tile by tile, each row by row; 0 where one reaches beyond the slide
};
slide make_vmscope(std::int64_t n, std::uint64_t seed, team& workers);

/// Hash and sum of the view's bytes.
std::string checksum(std::span<const colour> view);

/// Of the file of rows, a row at a time.
void average_sequential(const slide& from, std::span<colour> view);
void subsample_sequential(const slide& from, std::span<colour> view);

/// By all threads.
void average_rows(const slide& from, std::span<colour> view, team& workers);
void average_tiles(const slide& from, std::span<colour> view, team& workers);
void subsample_rows(const slide& from, std::span<colour> view, team& workers);
/// \param whole  reads all of a tile, else the rows of it that are in the view
void subsample_tiles(const slide& from, std::span<colour> view, bool whole, team& workers);

}  // namespace pappus::bench::vmscope
