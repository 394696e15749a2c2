// What the metadata of a Zarr array say: .zarray of version 2, zarr.json of version 3.
//
// Whatever can't be read as it is meant is refused by name when the array is opened: filters,
// codecs, types and extensions that aren't known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/codecs/codec_chain.h"
#include "formats/item_match.h"

namespace pappus::formats {

/// Files that have several chunks each, and an index of them at one end.
struct zarr_shards {
  std::vector<std::int64_t> extents;  ///< of a shard: multiples of a chunk's
  codec_chain index_codecs;           ///< those that keep the bytes as they are: checksums
  bool index_big_endian = false;
  bool index_first = false;

  /// Chunks of a shard along each dimension.
  std::vector<std::int64_t> per_shard(const std::vector<std::int64_t>& chunk) const;
};

struct zarr_array {
  int version = 3;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> chunk;  ///< what is decoded at a time
  array_item item;
  std::vector<std::byte> fill;  ///< the item of chunks that are missing, as in a file
  std::string key_prefix;       ///< "c" in version 3
  char key_separator = '/';
  /// Stored dimension i is the array's order[i]; empty: all in their places.
  std::vector<std::size_t> order;
  codec_chain codecs;
  std::optional<zarr_shards> shards;

  /// The name of the file of a chunk, or shard, below the array's folder: "c/0/1", "0.1".
  std::string key(const std::vector<std::int64_t>& place) const;
};

/// Throw zarr_problem.
zarr_array parse_zarr_2(std::string_view text);
zarr_array parse_zarr_3(std::string_view text);

/// Items of a box. They are less than 2^63.
std::int64_t items_of(const std::vector<std::int64_t>& extents);

}  // namespace pappus::formats
