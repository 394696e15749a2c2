// Blocks begin where tiles do, or a multiple of blocks behind it, so none lies in two tiles. The
// sum of a block fits in 16 bits: rows of blocks are added up byte by byte, in vectors, then the
// columns of each block.
#include "system/vmscope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "system/checksum.h"
#include "system/vmscope_tiles.h"

namespace pappus::bench::vmscope {
namespace {

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

/// The first pixels of blocks that lie beside each other.
void first_pixels(const colour* from, std::int64_t blocks, colour* to) {
  for (std::int64_t block = 0; block < blocks; ++block)
    for (std::int64_t c = 0; c < colours; ++c)
      to[block * colours + c] = from[block * block_bytes + c];
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

void slide_bytes::make_rows(std::int64_t begin, std::span<std::byte> to) const {
  std::uint64_t bits = 0;
  for (std::int64_t i = 0; i < std::ssize(to); ++i) {
    const auto number = begin + i;
    if (i == 0 || number % 8 == 0) bits = numbers_.bits(static_cast<std::uint64_t>(number / 8));
    to[static_cast<std::size_t>(i)] = static_cast<std::byte>(bits >> number % 8 * 8);
  }
  if (of_ == texture::smooth) smooth(begin, to);
}

void slide_bytes::smooth(std::int64_t begin, std::span<std::byte> bytes) const {
  auto c = begin % colours, x = begin / colours % width_, y = begin / colours / width_;
  for (auto& byte : bytes) {
    const auto random = std::to_integer<std::int64_t>(byte);
    byte = static_cast<std::byte>(x / 16 + y / 16 + 64 * c + (random < 32 ? random % 8 : 0));
    if (++c < colours) continue;
    c = 0;
    if (++x < width_) continue;
    x = 0, ++y;
  }
}

void slide_bytes::make_tile(const layout& of, std::int64_t number, std::span<std::byte> to) const {
  std::ranges::fill(to, std::byte{});
  const auto across = number % of.tiles_across() * tile, down = number / of.tiles_across() * tile;
  const auto width = std::min(tile, of.width - across);
  for (std::int64_t y = 0; y < std::min(tile, of.height - down); ++y)
    make_rows(((down + y) * of.width + across) * colours,
              to.subspan(static_cast<std::size_t>(y * tile_row),
                         static_cast<std::size_t>(width * colours)));
}

slide make_vmscope(std::int64_t n, std::uint64_t seed, team& workers) {
  constexpr std::int64_t piece = 1 << 20;
  const auto of = layout_of(n);
  const slide_bytes bytes(texture::random, of.width, seed);
  return {of,
          {scratch_file(".raw"), of.width * of.height * colours, piece, workers,
           [&](std::int64_t begin, std::span<std::byte> to) { bytes.make_rows(begin, to); }},
          {scratch_file(".tiles.raw"), of.tiles_across() * of.tiles_down() * tile_bytes, tile_bytes,
           workers, [&](std::int64_t begin, std::span<std::byte> to) {
             bytes.make_tile(of, begin / tile_bytes, to);
           }}};
}

std::vector<tile_part> tiles_in_view(const layout& of) {
  const auto right = of.left + of.side, bottom = of.top + of.side;
  std::vector<tile_part> parts;
  for (auto ty = of.top / tile; ty * tile < bottom; ++ty)
    for (auto tx = of.left / tile; tx * tile < right; ++tx) {
      const auto x = std::max(of.left, tx * tile), y = std::max(of.top, ty * tile);
      parts.push_back({ty * of.tiles_across() + tx, x - tx * tile, y - ty * tile,
                       (std::min(right, (tx + 1) * tile) - x) / factor,
                       (std::min(bottom, (ty + 1) * tile) - y) / factor, (x - of.left) / factor,
                       (y - of.top) / factor});
    }
  return parts;
}

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
  std::ranges::transform(sums, view.begin(), mean_of_block);
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
  scratch tiles(workers, tile_bytes);
  const auto parts = tiles_in_view(from.of);
  workers.run(std::ssize(parts), [&](std::int64_t i, int worker) {
    const auto& part = parts[static_cast<std::size_t>(i)];
    colour* const here = tiles.of(worker);
    read(from.tiles, part.number * tile_bytes + part.y * tile_row, here + part.y * tile_row,
         part.down * factor * tile_row);
    average_tile(part, here, side, view.data());
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
  scratch tiles(workers, tile_bytes);
  const auto parts = tiles_in_view(from.of);
  workers.run(std::ssize(parts), [&](std::int64_t i, int worker) {
    const auto& part = parts[static_cast<std::size_t>(i)];
    colour* const here = tiles.of(worker);
    const auto offset = part.number * tile_bytes + part.y * tile_row;
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
