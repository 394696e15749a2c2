// Arrays in Zarr folders: versions 2 and 3 are read, version 3 is written.
//
// Elements that are structures, for which version 3 has no type, are written in version 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// Opens the array in the folder `path`. Throws format_error, also for a group, whose arrays it
/// names.
std::unique_ptr<array_file> open_zarr(const std::string& path, const detail::record_layout& layout,
                                      std::size_t rank);

/// Begins to write an array of these extents to the folder `path`, which may hold an older one.
/// Throws usage_error for options that can't be right, format_error where the folder can't be
/// written.
std::unique_ptr<array_writer> create_zarr(const std::string& path,
                                          const detail::record_layout& layout,
                                          const std::vector<std::int64_t>& extents,
                                          const array_options& options);

}  // namespace pappus::formats
