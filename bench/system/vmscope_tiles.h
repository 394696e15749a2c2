// What files of the virtual microscope's slide share: its bytes, which tiles are in view, and the
// means of their blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "system/generator.h"
#include "system/team.h"
#include "system/vmscope.h"

namespace pappus::bench::vmscope {

constexpr std::int64_t block_bytes = factor * colours, tile_row = tile * colours,
                       tile_bytes = tile * tile_row;

/// Random bytes can't be compressed, so compressed files have a smooth slide: each colour rises by
/// one every 16 pixels across and down, and an eighth of the bytes have three random bits on top.
/// Blosc with LZ4 leaves 46 % of it, gzip 26 %.
enum class texture { random, smooth };

/// Bytes of a slide.
class slide_bytes {
 public:
  /// \param width  of the slide, in pixels
  slide_bytes(texture of, std::int64_t width, std::uint64_t seed)
      : of_(of), width_(width), numbers_(seed, 0) {}

  /// Those that begin at `begin`, row by row.
  void make_rows(std::int64_t begin, std::span<std::byte> to) const;
  /// One tile; 0 where it reaches beyond the slide.
  void make_tile(const layout& of, std::int64_t number, std::span<std::byte> to) const;

 private:
  void smooth(std::int64_t begin, std::span<std::byte> bytes) const;

  texture of_;
  std::int64_t width_;
  stream numbers_;
};

/// Bytes of each thread.
class scratch {
 public:
  scratch(const team& workers, std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        all_(static_cast<std::size_t>(workers.threads()) * bytes_) {}
  colour* of(int worker) { return all_.data() + static_cast<std::size_t>(worker) * bytes_; }

 private:
  std::size_t bytes_;
  std::vector<colour> all_;
};

/// What is viewed of a tile.
struct tile_part {
  std::int64_t number;        ///< of the tile, row by row
  std::int64_t x, y;          ///< within the tile
  std::int64_t across, down;  ///< blocks
  std::int64_t to_x, to_y;    ///< within the view
};

/// Row by row.
std::vector<tile_part> tiles_in_view(const layout& of);

inline colour mean_of_block(std::uint32_t sum) {
  return static_cast<colour>((sum + factor * factor / 2) / (factor * factor));
}

/// Means of blocks that lie beside each other.
/// \param stride  from a row of them to the next, in bytes
void average_blocks(const colour* from, std::int64_t stride, std::int64_t blocks, colour* to);

/// Of the blocks of a tile that are viewed.
/// \param from  all of the tile
/// \param side  of the view, in pixels
inline void average_tile(const tile_part& part, const colour* from, std::int64_t side,
                         colour* view) {
  for (std::int64_t y = 0; y < part.down; ++y)
    average_blocks(from + (part.y + y * factor) * tile_row + part.x * colours, tile_row,
                   part.across, view + ((part.to_y + y) * side + part.to_x) * colours);
}

}  // namespace pappus::bench::vmscope
