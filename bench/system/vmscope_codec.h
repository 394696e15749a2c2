// Tiles of the slide as compressed files have them, by the codecs' own libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/vmscope.h"

struct libdeflate_compressor;
struct libdeflate_decompressor;

namespace pappus::bench::vmscope {

/// Zarr with Blosc (LZ4, level 5), or with gzip (level 5), or HDF5 with the bytes of each colour
/// together and zlib (level 5).
enum class packing { blosc, gzip, hdf5 };

/// Metadata of a Zarr 3 array with such tiles, as Pappus writes it.
std::string zarr_metadata(packing how, const layout& of);

/// The file of a tile, below the array's folder.
std::string zarr_key(const layout& of, std::int64_t tile_number);

/// For one thread.
class tile_encoder {
 public:
  explicit tile_encoder(packing how);
  /// The bytes to store, until the next call; empty: the codec failed.
  std::span<const std::byte> encode(std::span<const std::byte> plain);

 private:
  packing how_;
  std::shared_ptr<libdeflate_compressor> deflate_;
  std::vector<std::byte> planes_, stored_;
};

/// For one thread.
class tile_decoder {
 public:
  explicit tile_decoder(packing how);
  /// All of a tile; false: the codec failed.
  bool decode(std::span<const std::byte> stored, colour* to);

 private:
  packing how_;
  std::shared_ptr<libdeflate_decompressor> inflate_;
  std::vector<colour> planes_;
};

}  // namespace pappus::bench::vmscope
