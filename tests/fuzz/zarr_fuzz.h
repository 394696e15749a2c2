// What any bytes must hold to when read as metadata of Zarr, as the index of a shard, or by a
// codec: no crash, and nothing but the errors that each may throw. The first byte says which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/codecs/codec.h"
#include "formats/codecs/codec_choice.h"
#include "formats/zarr/zarr_array.h"
#include "formats/zarr/zarr_json.h"
#include "formats/zarr/zarr_shard.h"

namespace pappus::testing {

inline constexpr std::string_view fuzz_zarr_codecs[] = {"zlib", "gzip", "zstd", "lz4", "blosc"};
inline constexpr std::size_t fuzz_zarr_plain_bytes = 256;

/// Valid inputs to start from.
inline std::vector<std::string> fuzz_zarr_seeds() {
  std::vector<std::string> seeds{
      std::string(1, '\0') +
          R"({"zarr_format": 2, "shape": [7, 5], "chunks": [3, 2], "dtype": [["x", "<f4", [2]]],)"
          R"("compressor": {"id": "blosc", "cname": "lz4"}, "fill_value": "AAAAAAAAAAA=",)"
          R"("order": "F", "filters": null, "dimension_separator": "/"})",
      "\1"
      R"({"zarr_format": 3, "node_type": "array", "shape": [7, 5], "data_type": "float32",)"
      R"("chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 4]}},)"
      R"("chunk_key_encoding": {"name": "default"}, "fill_value": "0x7fc00000", "codecs": [)"
      R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2], "codecs": [)"
      R"({"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "bytes",)"
      R"("configuration": {"endian": "big"}}, "zstd"], "index_codecs": [{"name": "bytes",)"
      R"("configuration": {"endian": "little"}}, {"name": "crc32c"}]}}]})",
      "\2" + std::string(64, '\1')};
  const std::vector<std::byte> plain(fuzz_zarr_plain_bytes, std::byte{7});
  char which = 3;
  for (const std::string_view name : fuzz_zarr_codecs) {
    const auto by = formats::make_codec(formats::parse_codec(std::string(name)), 4);
    std::vector<std::byte> stored(by->bound(plain.size()));
    stored.resize(by->encode(plain, stored));
    seeds.push_back(which++ +
                    std::string(reinterpret_cast<const char*>(stored.data()), stored.size()));
  }
  return seeds;
}

inline void fuzz_zarr_codec(std::string_view name, std::span<const std::byte> stored) {
  if (stored.empty()) return;
  std::vector<std::byte> plain(fuzz_zarr_plain_bytes);
  formats::make_codec(formats::parse_codec(std::string(name)), 4)->decode(stored, plain);
}

/// Whether the bytes are right. Lets escape what no input may lead to.
inline bool fuzz_zarr(std::span<const std::uint8_t> input) {
  if (input.empty()) return false;
  const std::string text(input.begin() + 1, input.end());
  const auto bytes = std::as_bytes(input.subspan(1));
  try {
    switch (const std::size_t which = input[0] % (3 + std::size(fuzz_zarr_codecs)); which) {
      case 0:
        formats::parse_zarr_2(text);
        break;
      case 1:
        formats::parse_zarr_3(text);
        break;
      case 2:
        formats::parse_shard_index(bytes, {{4}, {}, input.size() % 2 == 0, false},
                                   bytes.size() / sizeof(formats::shard_range), 4096);
        break;
      default:
        fuzz_zarr_codec(fuzz_zarr_codecs[which - 3], bytes);
    }
  } catch (const formats::zarr_problem&) {
    return false;
  } catch (const formats::codec_problem&) {
    return false;
  }
  return true;
}

}  // namespace pappus::testing
