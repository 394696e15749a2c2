// The index of a shard: where its chunks lie in it. Indices that were read are remembered, as are
// the open files, for a bounded number of shards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "formats/byte_source.h"
#include "formats/zarr/zarr_array.h"

namespace pappus::formats {

/// Bytes of a file. A chunk that a shard hasn't has offset and bytes of 2^64 - 1.
struct shard_range {
  static constexpr std::uint64_t missing = ~std::uint64_t{0};
  std::uint64_t offset = missing;
  std::uint64_t bytes = missing;

  bool present() const noexcept { return offset != missing || bytes != missing; }
};

/// The bytes of an index of so many chunks.
std::size_t shard_index_bytes(const zarr_shards& shards, std::size_t chunks);

/// Reads an index that was stored in `stored`, for a shard of `file_bytes`. Throws codec_problem,
/// also where chunks would lie outside of the file.
std::vector<shard_range> parse_shard_index(std::span<const std::byte> stored,
                                           const zarr_shards& shards, std::size_t chunks,
                                           std::int64_t file_bytes);

struct open_shard {
  std::shared_ptr<const byte_source> file;  ///< null: there is none
  std::vector<shard_range> chunks;          ///< in row-major order
};

/// May be used by any threads. A shard is opened, and its index read, by who asks first; others who
/// ask for it wait.
class shard_cache {
 public:
  /// \param chunks  that a shard has
  shard_cache(const zarr_shards& shards, std::size_t chunks) : shards_(shards), chunks_(chunks) {}

  /// Shards that are remembered, whose files stay open.
  std::size_t most() const noexcept;
  /// The shard in the file `path`. Throws format_error and codec_problem, and then tries again when
  /// it is asked again.
  std::shared_ptr<const open_shard> shard(const std::string& path);

 private:
  struct entry {
    std::mutex opening;
    std::shared_ptr<const open_shard> shard;
    std::uint64_t asked = 0;  ///< when, for the last time
  };

  std::shared_ptr<entry> entry_of(const std::string& path);
  std::shared_ptr<const open_shard> open(const std::string& path) const;

  const zarr_shards& shards_;
  std::size_t chunks_;
  std::mutex lock_;
  std::uint64_t asked_ = 0;
  std::map<std::string, std::shared_ptr<entry>> entries_;
};

}  // namespace pappus::formats
