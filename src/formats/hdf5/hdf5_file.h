// Reads the chunks of a dataset in an HDF5 file, on any thread. What they passed when they were
// written libhdf5 told (hdf5_dataset.h); chunk_decoder.h makes elements of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "formats/array_file.h"
#include "formats/array_type.h"
#include "formats/byte_source.h"
#include "formats/chunk_decoder.h"
#include "formats/hdf5/hdf5_dataset.h"

namespace pappus::formats {

class hdf5_file final : public array_file {
 public:
  /// \param name   file and dataset, for messages
  /// \param chunks  those that are stored, unless the dataset has a fetcher
  /// Throws hdf5_problem for filters that aren't known, format_error where chunks cut elements.
  hdf5_file(const std::string& name, std::unique_ptr<byte_source> source, hdf5_dataset dataset,
            hdf5_chunks chunks, element_match elements);

  array_storage storage() const override;
  std::int64_t bytes_read() const noexcept override {
    return bytes_read_.load(std::memory_order_relaxed);
  }
  bool load(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const override;
  void announce(chunk_place chunk) const noexcept override;
  std::size_t scratch_bytes() const noexcept override { return decoder_.scratch_bytes(); }

 private:
  bool load_found(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const;
  bool load_fetched(chunk_place chunk, detail::memory_source& scratch, std::byte* out) const;
  /// The filters that a chunk skipped, of which the file says `told`.
  std::uint32_t skipped(chunk_place chunk, std::uint32_t told) const;

  std::unique_ptr<byte_source> source_;
  hdf5_grid grid_;
  hdf5_chunks chunks_;
  std::shared_ptr<const hdf5_fetcher> fetcher_;
  bool whole_are_filtered_;
  chunk_decoder decoder_;
  mutable std::atomic<std::int64_t> bytes_read_{0};  // of chunks
};

}  // namespace pappus::formats
