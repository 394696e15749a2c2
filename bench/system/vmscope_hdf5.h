// The slide as a dataset of an HDF5 file, which libhdf5 makes: of pixels as arrays of three bytes,
// so that the filter "shuffle" has something to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "system/vmscope.h"

namespace pappus::bench::vmscope {

inline constexpr const char* dataset = "slide";

/// Why there is no libhdf5; empty: there is one.
std::string hdf5_missing();

/// Where a tile's stored bytes lie in the file.
struct tile_place {
  std::int64_t offset, bytes;
};

/// Writes a file with tiles that were encoded before, and tells where they lie.
/// \throws format_error  if it can't be written
std::vector<tile_place> write_hdf5(const std::string& path, const layout& of,
                                   const std::vector<std::vector<std::byte>>& tiles);

}  // namespace pappus::bench::vmscope
