// Reads and writes NPY files as arrays.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "formats/array_file.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// Throws format_error where the header is malformed, the array isn't one of `rank` dimensions of
/// such elements, or the file is too short.
std::unique_ptr<array_file> open_npy_array(const std::string& path,
                                           const detail::record_layout& layout, std::size_t rank);

std::unique_ptr<array_writer> create_npy_array(const std::string& path,
                                               const detail::record_layout& layout,
                                               const std::vector<std::int64_t>& extents,
                                               const array_options& options);

}  // namespace pappus::formats
