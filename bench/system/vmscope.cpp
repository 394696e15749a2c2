// Blocks begin where tiles do, or a multiple of blocks behind it, so none lies in two tiles. The
// sum of a block fits in 16 bits: rows of blocks are added up byte by byte, in vectors, then the
// columns of each block.
#include "system/vmscope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "system/checksum.h"
#include "system/generator.h"

namespace pappus::bench::vmscope {
namespace {

constexpr std::int64_t block_bytes = factor * colours, tile_row = tile * colours;

/// Bytes of the slide, row by row: eight a number.
class slide_bytes {
 public:
  slide_bytes(const layout& of, std::uint64_t seed) : of_(of), numbers_(seed, 0) {}

  void make_rows(std::int64_t begin, std::span<std::byte> to) const {
    std::uint64_t bits = 0;
    for (std::int64_t i = 0; i < std::ssize(to); ++i) {
      const auto number = begin + i;
      if (i == 0 || number % 8 == 0) bits = numbers_.bits(static_cast<std::uint64_t>(number / 8));
      to[static_cast<std::size_t>(i)] = static_cast<std::byte>(bits >> number % 8 * 8);
    }
  }
  /// One tile.
  void make_tile(std::int64_t begin, std::span<std::byte> to) const {
    std::ranges::fill(to, std::byte{});
    const auto number = begin / (tile * tile_row);
    const auto across = number % of_.tiles_across() * tile,
               down = number / of_.tiles_across() * tile;
    const auto width = std::min(tile, of_.width - across);
    for (std::int64_t y = 0; y < std::min(tile, of_.height - down); ++y)
      make_rows(((down + y) * of_.width + across) * colours,
                to.subspan(static_cast<std::size_t>(y * tile_row),
                           static_cast<std::size_t>(width * colours)));
  }

 private:
  const layout& of_;
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

void read(const input_bytes& from, std::int64_t offset, colour* to, std::int64_t bytes) {
  from.read(offset, std::as_writable_bytes(std::span(to, static_cast<std::size_t>(bytes))));
}

/// Of the file of rows: the part of one that is viewed.
void read_row(const slide& from, std::int64_t row, colour* to) {
  const auto& of = from.of;
  read(from.rows, ((of.top + row) * of.width + of.left) * colours, to, of.side * colours);
}

/// Of the file of rows, from one that is viewed to another.
void announce_rows(const slide& from, std::int64_t row, std::int64_t end) {
  const auto& of = from.of;
  if (row < of.side)
    from.rows.announce(((of.top + row) * of.width + of.left) * colours,
                       ((end - 1 - row) * of.width + of.side) * colours);
}

/// Means of blocks that lie beside each other.
/// \param stride  from a row of them to the next, in bytes
void average_blocks(const colour* from, std::int64_t stride, std::int64_t blocks, colour* to) {
  constexpr std::int64_t at_once = 32;  // whose sums stay in the first-level cache
  std::uint16_t sums[at_once * block_bytes];
  for (std::int64_t first = 0; first < blocks; first += at_once) {
    const auto some = std::min(at_once, blocks - first);
    const colour* const rows = from + first * block_bytes;
    for (std::int64_t i = 0; i < some * block_bytes; ++i) {
      std::uint16_t sum = 0;
      for (std::int64_t y = 0; y < factor; ++y)
        sum = static_cast<std::uint16_t>(sum + rows[y * stride + i]);
      sums[i] = sum;
    }
    for (std::int64_t block = 0; block < some; ++block) {
      const std::uint16_t* const sum = sums + block * block_bytes;
      std::uint16_t half[block_bytes / 2];
      for (std::int64_t i = 0; i < block_bytes / 2; ++i)
        half[i] = static_cast<std::uint16_t>(sum[i] + sum[i + block_bytes / 2]);
      for (std::int64_t c = 0; c < colours; ++c)
        to[(first + block) * colours + c] = static_cast<colour>(
            (half[c] + half[c + 3] + half[c + 6] + half[c + 9] + factor * factor / 2) /
            (factor * factor));
    }
  }
}

/// The first pixels of blocks that lie beside each other.
void first_pixels(const colour* from, std::int64_t blocks, colour* to) {
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t c = 0; c < colours; ++c)
      to[block * colours + c] = from[block * block_bytes + c];
}

/// What is viewed of a tile.
struct tile_part {
  std::int64_t offset;        ///< of the tile in the file
  std::int64_t x, y;          ///< within the tile
  std::int64_t across, down;  ///< blocks
  std::int64_t to_x, to_y;    ///< within the view
};

/// Calls part(what, worker) for each tile.
template <typename Part>
void each_tile(const layout& of, team& workers, Part&& part) {
  const auto left = of.left / tile, top = of.top / tile;
  const auto across = (of.left + of.side - 1) / tile - left + 1,
             down = (of.top + of.side - 1) / tile - top + 1;
  workers.run(across * down, [&](std::int64_t number, int worker) {
    const auto tx = left + number % across, ty = top + number / across;
    const auto x = std::max(of.left, tx * tile), y = std::max(of.top, ty * tile);
    const auto right = std::min(of.left + of.side, (tx + 1) * tile),
               bottom = std::min(of.top + of.side, (ty + 1) * tile);
    part(tile_part{(ty * of.tiles_across() + tx) * tile * tile_row, x - tx * tile, y - ty * tile,
                   (right - x) / factor, (bottom - y) / factor, (x - of.left) / factor,
                   (y - of.top) / factor},
         worker);
  });
}

}  // namespace

layout layout_of(std::int64_t n) {
  const auto blocks = [](double pixels) {
    return static_cast<std::int64_t>(pixels) / factor * factor;
  };
  const auto side = std::max(blocks(std::sqrt(static_cast<double>(n))), factor);
  const auto part = [&](std::int64_t thousandths) { return side * thousandths / 1000; };
  return {part(1976), part(1536), part(300) / factor * factor, part(200) / factor * factor, side};
}

slide make_vmscope(std::int64_t n, std::uint64_t seed, team& workers) {
  constexpr std::int64_t piece = 1 << 20;
  const auto of = layout_of(n);
  const slide_bytes bytes(of, seed);
  return {of,
          {scratch_file(".raw"), of.width * of.height * colours, piece, workers,
           [&](std::int64_t begin, std::span<std::byte> to) { bytes.make_rows(begin, to); }},
          {scratch_file(".tiles.raw"), of.tiles_across() * of.tiles_down() * tile * tile_row,
           tile * tile_row, workers,
           [&](std::int64_t begin, std::span<std::byte> to) { bytes.make_tile(begin, to); }}};
}

std::string checksum(std::span<const colour> view) {
  std::uint64_t hash = 0, sum = 0;
  for (std::size_t i = 0; i < view.size(); ++i) {
    hash += position_hash(view[i], i);
    sum += view[i];
  }
  return fmt::format("{}/{}", hex_digits(hash), sum);
}

void average_sequential(const slide& from, std::span<colour> view) {
  const auto side = from.of.side, width = from.of.view_side() * colours;
  std::vector<colour> row(static_cast<std::size_t>(side * colours));
  std::vector<std::uint32_t> sums(view.size());
  for (std::int64_t y = 0; y < side; ++y) {
    read_row(from, y, row.data());
    std::uint32_t* const to = &sums[static_cast<std::size_t>(y / factor * width)];
    for (std::int64_t x = 0; x < side; ++x)
      for (std::int64_t c = 0; c < colours; ++c)
        to[x / factor * colours + c] += row[static_cast<std::size_t>(x * colours + c)];
  }
  std::ranges::transform(sums, view.begin(), [](std::uint32_t sum) {
    return static_cast<colour>((sum + factor * factor / 2) / (factor * factor));
  });
}

void subsample_sequential(const slide& from, std::span<colour> view) {
  const auto side = from.of.view_side();
  std::vector<colour> row(static_cast<std::size_t>(from.of.side * colours));
  for (std::int64_t y = 0; y < side; ++y) {
    read_row(from, y * factor, row.data());
    first_pixels(row.data(), side, &view[static_cast<std::size_t>(y * side * colours)]);
  }
}

void average_rows(const slide& from, std::span<colour> view, team& workers) {
  const auto side = from.of.view_side(), stride = from.of.side * colours;
  scratch rows(workers, factor * stride);
  const std::int64_t ahead = 4 * workers.threads();
  workers.run(side, [&](std::int64_t y, int worker) {
    colour* const here = rows.of(worker);
    announce_rows(from, (y + ahead) * factor, (y + ahead + 1) * factor);
    for (std::int64_t row = 0; row < factor; ++row)
      read_row(from, y * factor + row, here + row * stride);
    average_blocks(here, stride, side, view.data() + y * side * colours);
  });
}

void average_tiles(const slide& from, std::span<colour> view, team& workers) {
  const auto side = from.of.view_side();
  scratch tiles(workers, tile * tile_row);
  each_tile(from.of, workers, [&](const tile_part& part, int worker) {
    colour* const here = tiles.of(worker);
    read(from.tiles, part.offset + part.y * tile_row, here, part.down * factor * tile_row);
    for (std::int64_t y = 0; y < part.down; ++y)
      average_blocks(here + y * factor * tile_row + part.x * colours, tile_row, part.across,
                     view.data() + ((part.to_y + y) * side + part.to_x) * colours);
  });
}

void subsample_rows(const slide& from, std::span<colour> view, team& workers) {
  constexpr std::int64_t rows_at_once = 16;
  const auto side = from.of.view_side();
  const std::int64_t ahead = 2 * rows_at_once * workers.threads();
  scratch rows(workers, from.of.side * colours);
  workers.run_pieces(side, rows_at_once, [&](std::int64_t begin, std::int64_t end, int worker) {
    for (auto y = begin; y < end; ++y) {
      announce_rows(from, (y + ahead) * factor, (y + ahead) * factor + 1);
      read_row(from, y * factor, rows.of(worker));
      first_pixels(rows.of(worker), side, view.data() + y * side * colours);
    }
  });
}

void subsample_tiles(const slide& from, std::span<colour> view, bool whole, team& workers) {
  const auto side = from.of.view_side();
  scratch tiles(workers, tile * tile_row);
  each_tile(from.of, workers, [&](const tile_part& part, int worker) {
    colour* const here = tiles.of(worker);
    const auto offset = part.offset + part.y * tile_row;
    if (whole) read(from.tiles, offset, here, part.down * factor * tile_row);
    for (std::int64_t y = 0; y < part.down; ++y) {
      colour* const row = here + (whole ? y * factor * tile_row : 0) + part.x * colours;
      if (!whole)
        read(from.tiles, offset + y * factor * tile_row + part.x * colours, row,
             part.across * block_bytes);
      first_pixels(row, part.across, view.data() + ((part.to_y + y) * side + part.to_x) * colours);
    }
  });
}

}  // namespace pappus::bench::vmscope
