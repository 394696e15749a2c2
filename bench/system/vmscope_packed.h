// The slide in compressed tiles, in a Zarr folder or an HDF5 file, and the view of it by hand:
// threads take tiles, read what is stored of one, decode it into their cache, and add its blocks
// up there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/scratch_file.h"
#include "system/team.h"
#include "system/vmscope.h"
#include "system/vmscope_codec.h"
#include "system/vmscope_hdf5.h"

namespace pappus::bench::vmscope {

class packed_slide final : public input_files {
 public:
  packed_slide(packing how, std::int64_t n, std::uint64_t seed, team& workers);
  ~packed_slide() override;
  packed_slide(const packed_slide&) = delete;
  packed_slide& operator=(const packed_slide&) = delete;

  packing how() const { return how_; }
  const layout& of() const { return of_; }
  /// As Pappus takes it.
  std::string path() const;
  /// Of the tiles in view.
  std::int64_t stored_bytes() const;

  /// What is stored of a tile, in `room`. A failure is told by check().
  std::span<const std::byte> read(std::int64_t tile_number,
                                  std::vector<std::byte>& room) const noexcept;
  /// Has the system begin to read a tile, once the files have left the page cache.
  void announce(std::int64_t tile_number) const noexcept;
  /// That a tile can't be decoded.
  void fail() const noexcept { failed_ = true; }
  void check() const override;
  void leave_page_cache() noexcept override;

 private:
  std::string file() const;
  std::string file_of(std::int64_t tile_number) const;

  packing how_;
  layout of_;
  scratch_folder folder_;
  std::vector<tile_place> places_;  // in an HDF5 file
  int descriptor_ = -1;             // of that
  bool cold_ = false;
  mutable std::atomic<bool> failed_ = false;
};

void average_sequential(const packed_slide& from, std::span<colour> view);
void average_packed(const packed_slide& from, std::span<colour> view, team& workers);

}  // namespace pappus::bench::vmscope
