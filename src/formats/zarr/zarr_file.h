// Reads the chunks of a Zarr array.
//
// A chunk is a file, or a part of one (zarr_shard.h); chunk_decoder.h makes elements of its bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "formats/array_type.h"
#include "formats/chunk_decoder.h"
#include "formats/zarr/zarr_array.h"
#include "formats/zarr/zarr_shard.h"

namespace pappus::formats {

class zarr_file final : public array_file {
 public:
  /// \param path  the array's folder
  /// Throws format_error where chunks cut elements.
  zarr_file(const std::string& path, zarr_array array, element_match elements);

  array_storage storage() const override;
  std::int64_t bytes_read() const noexcept override {
    return bytes_read_.load(std::memory_order_relaxed);
  }
  bool load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const override;
  void announce(chunk_place chunk) const noexcept override;
  std::size_t open_files_max() const noexcept override;
  std::size_t scratch_bytes() const noexcept override { return decoder_.scratch_bytes(); }

 private:
  /// Where a chunk is stored.
  struct stored {
    std::shared_ptr<const byte_source> file;  ///< null: nowhere
    std::int64_t offset = 0, bytes = 0;
  };

  /// Of the file, below the folder.
  std::string key_of(chunk_place chunk) const;
  stored find(chunk_place chunk) const;

  zarr_array array_;
  chunk_decoder decoder_;
  std::vector<std::int64_t> per_shard_;  // chunks
  std::unique_ptr<shard_cache> shards_;
  mutable std::atomic<std::int64_t> bytes_read_{0};  // of chunks
};

}  // namespace pappus::formats
