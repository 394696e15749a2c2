// The formats of arrays, found by the end of a file's or folder's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// Opens "slide.zarr", "store.zarr:/level0", "a.npy". Throws format_error, and usage_error listing
/// the known formats for any other name.
/// \param extents  of elements; empty: the file tells them. Throws format_error where it tells
///                 others, usage_error where it can't tell and none are given
std::unique_ptr<array_file> open_array(const std::string& path, const detail::record_layout& layout,
                                       std::size_t rank, const std::vector<std::int64_t>& extents);

/// Begins to write such a file or folder. Throws as open_array() does.
std::unique_ptr<array_writer> create_array(const std::string& path,
                                           const detail::record_layout& layout,
                                           const std::vector<std::int64_t>& extents,
                                           const array_options& options);

}  // namespace pappus::formats
