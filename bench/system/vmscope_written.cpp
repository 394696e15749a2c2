#include "system/vmscope_written.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "pappus/error.h"
#include "system/vmscope_codec.h"
#include "system/vmscope_tiles.h"

namespace pappus::bench::vmscope {
namespace {

/// The tile's pixels, and 0 where it reaches beyond the slide.
void gather_tile(const colour* slide, const layout& of, std::int64_t number, colour* to) {
  const auto x = number % of.tiles_across() * tile, y = number / of.tiles_across() * tile;
  const auto width = std::min(tile, of.width - x), height = std::min(tile, of.height - y);
  if (width < tile || height < tile) std::memset(to, 0, static_cast<std::size_t>(tile_bytes));
  for (std::int64_t row = 0; row < height; ++row)
    std::memcpy(to + row * tile_row, slide + ((y + row) * of.width + x) * colours,
                static_cast<std::size_t>(width * colours));
}

bool write_file(const std::string& path, std::span<const std::byte> bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const bool written = ::write(file, bytes.data(), bytes.size()) == std::ssize(bytes);
  return ::close(file) == 0 && written;
}

}  // namespace

layout square_of(std::int64_t n) {
  const auto side = layout_of(n).side;
  return {side, side, 0, 0, side};
}

std::vector<colour> smooth_slide(const layout& of, std::uint64_t seed, team& workers) {
  constexpr std::int64_t piece = 1 << 20;
  const slide_bytes bytes(texture::smooth, of.width, seed);
  std::vector<colour> slide(static_cast<std::size_t>(of.width * of.height * colours));
  workers.run_pieces(std::ssize(slide), piece, [&](std::int64_t begin, std::int64_t end, int) {
    bytes.make_rows(begin,
                    std::as_writable_bytes(std::span(slide).subspan(
                        static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))));
  });
  return slide;
}

void write_slide(const std::vector<colour>& slide, const layout& of, const std::string& folder,
                 team& workers) {
  std::vector<tile_encoder> encoders;
  for (int i = 0; i < workers.threads(); ++i) encoders.emplace_back(packing::blosc);
  scratch plain(workers, tile_bytes);
  std::atomic<bool> failed = false;
  const auto across = of.tiles_across();
  for (std::int64_t i = 0; i < across * of.tiles_down(); ++i)
    std::filesystem::create_directories(
        std::filesystem::path(folder + '/' + zarr_key(of, i)).parent_path());
  workers.run(across * of.tiles_down(), [&](std::int64_t number, int worker) {
    colour* const here = plain.of(worker);
    gather_tile(slide.data(), of, number, here);
    const auto stored = encoders[static_cast<std::size_t>(worker)].encode(
        std::as_bytes(std::span(here, static_cast<std::size_t>(tile_bytes))));
    if (!write_file(folder + '/' + zarr_key(of, number), stored)) failed = true;
  });
  std::ofstream metadata(folder + "/zarr.json");
  metadata << zarr_metadata(packing::blosc, of);
  if (!metadata.flush() || failed)
    throw format_error(folder + ": the benchmark's output can't be written");
}

}  // namespace pappus::bench::vmscope
