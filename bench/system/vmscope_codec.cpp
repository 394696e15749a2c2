#include "system/vmscope_codec.h"

#include <blosc.h>
#include <libdeflate.h>

#include <fmt/format.h>

#include "system/vmscope_tiles.h"

namespace pappus::bench::vmscope {
namespace {

constexpr int level = 5;
constexpr auto pixels = static_cast<std::size_t>(tile * tile),
               plain_bytes = static_cast<std::size_t>(tile_bytes);

}  // namespace

std::string zarr_metadata(packing how, const layout& of) {
  const auto* const codec =
      how == packing::blosc ? R"({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5,
      "shuffle": "shuffle", "typesize": 1, "blocksize": 0}})"
                            : R"({"name": "gzip", "configuration": {"level": 5}})";
  return fmt::format(R"({{"zarr_format": 3, "node_type": "array", "shape": [{}, {}, {}],
  "data_type": "uint8", "fill_value": 0, "attributes": {{}},
  "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [{}, {}, {}]}}}},
  "chunk_key_encoding": {{"name": "default", "configuration": {{"separator": "/"}}}},
  "codecs": [{{"name": "bytes"}},
    {}]}}
)",
                     of.height, of.width, colours, tile, tile, colours, codec);
}

std::string zarr_key(const layout& of, std::int64_t tile_number) {
  return fmt::format("c/{}/{}/0", tile_number / of.tiles_across(), tile_number % of.tiles_across());
}

tile_encoder::tile_encoder(packing how)
    : how_(how),
      deflate_(libdeflate_alloc_compressor(level), libdeflate_free_compressor),
      planes_(how == packing::hdf5 ? plain_bytes : 0),
      stored_(how == packing::blosc ? plain_bytes + BLOSC_MAX_OVERHEAD
                                    : libdeflate_gzip_compress_bound(deflate_.get(), plain_bytes)) {
}

std::span<const std::byte> tile_encoder::encode(std::span<const std::byte> plain) {
  std::size_t n = 0;
  if (how_ == packing::blosc) {
    n = static_cast<std::size_t>(
        std::max(blosc_compress_ctx(level, BLOSC_SHUFFLE, 1, plain.size(), plain.data(),
                                    stored_.data(), stored_.size(), "lz4", 0, 1),
                 0));
  } else if (how_ == packing::gzip) {
    n = libdeflate_gzip_compress(deflate_.get(), plain.data(), plain.size(), stored_.data(),
                                 stored_.size());
  } else {
    for (std::size_t i = 0; i < pixels; ++i)
      for (std::size_t c = 0; c < colours; ++c) planes_[c * pixels + i] = plain[i * colours + c];
    n = libdeflate_zlib_compress(deflate_.get(), planes_.data(), planes_.size(), stored_.data(),
                                 stored_.size());
  }
  return {stored_.data(), n};
}

tile_decoder::tile_decoder(packing how)
    : how_(how),
      inflate_(libdeflate_alloc_decompressor(), libdeflate_free_decompressor),
      planes_(how == packing::hdf5 ? plain_bytes : 0) {}

bool tile_decoder::decode(std::span<const std::byte> stored, colour* to) {
  if (how_ == packing::blosc)
    return blosc_decompress_ctx(stored.data(), to, plain_bytes, 1) == tile_bytes;
  std::size_t got = 0;
  if (how_ == packing::gzip)
    return libdeflate_gzip_decompress(inflate_.get(), stored.data(), stored.size(), to, plain_bytes,
                                      &got) == LIBDEFLATE_SUCCESS &&
           got == plain_bytes;
  if (libdeflate_zlib_decompress(inflate_.get(), stored.data(), stored.size(), planes_.data(),
                                 plain_bytes, &got) != LIBDEFLATE_SUCCESS ||
      got != plain_bytes)
    return false;
  const colour* const from = planes_.data();
  for (std::size_t i = 0; i < pixels; ++i)
    for (std::size_t c = 0; c < colours; ++c) to[i * colours + c] = from[c * pixels + i];
  return true;
}

}  // namespace pappus::bench::vmscope
