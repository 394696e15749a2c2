#include "system/vmscope_packed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/error.h"
#include "system/vmscope_tiles.h"

namespace pappus::bench::vmscope {
namespace {

/// Calls keep(number, stored bytes) for each tile of a slide.
void encode_tiles(packing how, const layout& of, std::uint64_t seed, team& workers, auto&& keep) {
  const slide_bytes bytes(texture::smooth, of.width, seed);
  std::vector<tile_encoder> encoders;
  for (int i = 0; i < workers.threads(); ++i) encoders.emplace_back(how);
  scratch plain(workers, tile_bytes);
  workers.run(of.tiles_across() * of.tiles_down(), [&](std::int64_t number, int worker) {
    const auto here =
        std::as_writable_bytes(std::span(plain.of(worker), static_cast<std::size_t>(tile_bytes)));
    bytes.make_tile(of, number, here);
    keep(number, encoders[static_cast<std::size_t>(worker)].encode(here));
  });
}

/// As many bytes as there are.
bool read_all(int file, std::int64_t offset, std::span<std::byte> to) {
  while (!to.empty()) {
    const auto got = ::pread(file, to.data(), to.size(), offset);
    if (got <= 0) return false;
    to = to.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
  return true;
}

}  // namespace

packed_slide::packed_slide(packing how, std::int64_t n, std::uint64_t seed, team& workers)
    : how_(how), of_(layout_of(n)) {
  const auto tiles = static_cast<std::size_t>(of_.tiles_across() * of_.tiles_down());
  if (tiles > 64)
    std::cerr << fmt::format("pappus: bench: making an input of {}, to be compressed, in {}\n",
                             base::bytes_text(static_cast<double>(tiles * tile_bytes)),
                             folder_.path());
  if (how_ == packing::hdf5) {
    std::vector<std::vector<std::byte>> stored(tiles);
    encode_tiles(how, of_, seed, workers, [&](std::int64_t number, auto bytes) {
      stored[static_cast<std::size_t>(number)].assign(bytes.begin(), bytes.end());
    });
    places_ = write_hdf5(file(), of_, stored);
    descriptor_ = ::open(file().c_str(), O_RDONLY | O_CLOEXEC);
  } else {
    for (std::int64_t y = 0; y < of_.tiles_down(); ++y)
      for (std::int64_t x = 0; x < of_.tiles_across(); ++x)
        std::filesystem::create_directories(
            std::filesystem::path(file_of(y * of_.tiles_across() + x)).parent_path());
    encode_tiles(how, of_, seed, workers, [&](std::int64_t number, auto bytes) {
      std::ofstream to(file_of(number), std::ios::binary);
      to.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
      if (!to.flush()) fail();
    });
    std::ofstream(file() + "/zarr.json") << zarr_metadata(how, of_);
  }
  check();
  folder_.settle();
}

packed_slide::~packed_slide() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string packed_slide::file() const {
  return folder_.path() + (how_ == packing::hdf5 ? "/slide.h5" : "/slide.zarr");
}

std::string packed_slide::path() const {
  return how_ == packing::hdf5 ? file() + ":/" + dataset : file();
}

std::string packed_slide::file_of(std::int64_t tile_number) const {
  return file() + '/' + zarr_key(of_, tile_number);
}

std::int64_t packed_slide::stored_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& part : tiles_in_view(of_))
    bytes += how_ == packing::hdf5
                 ? places_[static_cast<std::size_t>(part.number)].bytes
                 : static_cast<std::int64_t>(std::filesystem::file_size(file_of(part.number)));
  return bytes;
}

std::span<const std::byte> packed_slide::read(std::int64_t tile_number,
                                              std::vector<std::byte>& room) const noexcept {
  tile_place at{0, 0};
  int from = descriptor_;
  if (how_ == packing::hdf5) {
    at = places_[static_cast<std::size_t>(tile_number)];
  } else {
    struct stat status{};
    from = ::open(file_of(tile_number).c_str(), O_RDONLY | O_CLOEXEC);
    if (from >= 0 && ::fstat(from, &status) == 0) at.bytes = status.st_size;
  }
  const auto bytes = static_cast<std::size_t>(at.bytes);
  if (room.size() < bytes) room.resize(bytes);
  const std::span to(room.data(), bytes);
  if (bytes == 0 || !read_all(from, at.offset, to)) fail();
  if (how_ != packing::hdf5 && from >= 0) ::close(from);
  return to;
}

void packed_slide::announce(std::int64_t tile_number) const noexcept {
  if (!cold_) return;
  if (how_ == packing::hdf5) {
    const auto at = places_[static_cast<std::size_t>(tile_number)];
    ::posix_fadvise(descriptor_, at.offset, at.bytes, POSIX_FADV_WILLNEED);
    return;
  }
  const int file = ::open(file_of(tile_number).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ::posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
  ::close(file);
}

void packed_slide::check() const {
  if (failed_) throw format_error(fmt::format("{}: the benchmark's input can't be read", file()));
}

void packed_slide::leave_page_cache() noexcept {
  cold_ = true;
  folder_.leave_page_cache();
}

void average_sequential(const packed_slide& from, std::span<colour> view) {
  tile_decoder decoder(from.how());
  std::vector<std::byte> room;
  std::vector<colour> plain(static_cast<std::size_t>(tile_bytes));
  const auto side = from.of().view_side();
  std::vector<std::uint32_t> sums(view.size());
  for (const auto& part : tiles_in_view(from.of())) {
    if (!decoder.decode(from.read(part.number, room), plain.data())) from.fail();
    for (std::int64_t y = 0; y < part.down * factor; ++y)
      for (std::int64_t x = 0; x < part.across * factor; ++x)
        for (std::int64_t c = 0; c < colours; ++c)
          sums[static_cast<std::size_t>(
              ((part.to_y + y / factor) * side + part.to_x + x / factor) * colours + c)] +=
              plain[static_cast<std::size_t>(((part.y + y) * tile + part.x + x) * colours + c)];
  }
  std::ranges::transform(sums, view.begin(), mean_of_block);
}

void average_packed(const packed_slide& from, std::span<colour> view, team& workers) {
  struct alignas(64) own {
    tile_decoder decoder;
    std::vector<std::byte> room{};
  };
  std::vector<own> owned;
  for (int i = 0; i < workers.threads(); ++i) owned.push_back({tile_decoder(from.how())});
  scratch plain(workers, tile_bytes);
  const auto parts = tiles_in_view(from.of());
  const auto ahead = std::int64_t{16} * workers.threads();
  workers.run(std::ssize(parts), [&](std::int64_t i, int worker) {
    if (i + ahead < std::ssize(parts))
      from.announce(parts[static_cast<std::size_t>(i + ahead)].number);
    const auto& part = parts[static_cast<std::size_t>(i)];
    auto& [decoder, room] = owned[static_cast<std::size_t>(worker)];
    if (!decoder.decode(from.read(part.number, room), plain.of(worker))) from.fail();
    average_tile(part, plain.of(worker), from.of().view_side(), view.data());
  });
}

}  // namespace pappus::bench::vmscope
