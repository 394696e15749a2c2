// Writes an array to a folder of chunks, or of shards, each as soon as it is put.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/atomic_folder.h"
#include "formats/array_file.h"
#include "formats/codecs/codec_chain.h"
#include "formats/zarr/zarr_plan.h"

namespace pappus::formats {

class zarr_writer final : public array_writer {
 public:
  /// Creates the folder, beside the plan's path, and the groups above it. Throws format_error.
  explicit zarr_writer(zarr_plan plan);

  void put(chunk_place chunk, detail::memory_source& scratch, const std::byte* elements) override;
  void close() override;

 private:
  /// Elements of a box, from `first` on, that are written as a chunk: fewer at the borders.
  struct part {
    const std::byte* elements;             // of the box
    const std::vector<std::int64_t>& box;  // its extents
    std::vector<std::int64_t> first, extents;
  };

  /// Calls put with a partial file and commits it. Errors of files name the chunk.
  template <typename Put>
  void write(chunk_place chunk, Put&& put);
  codec_chain::encoded encode(const part& from, detail::memory_source& scratch,
                              detail::buffer& plain) const;
  void pack(const part& from, std::byte* to) const;
  void put_shard(base::atomic_file& file, const std::byte* elements,
                 const std::vector<std::int64_t>& box, detail::memory_source& scratch) const;

  zarr_plan plan_;
  codec_chain codecs_, index_codecs_;
  std::size_t chunk_bytes_;  // plain
  base::atomic_folder folder_;
};

}  // namespace pappus::formats
