// Reads and writes elements one after another, in row-major order, as they lie in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/array_file.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// The file doesn't say its extents. Throws format_error where its size isn't that of so many
/// elements.
std::unique_ptr<array_file> open_raw_array(const std::string& path,
                                           const detail::record_layout& layout,
                                           const std::vector<std::int64_t>& extents);

std::unique_ptr<array_writer> create_raw_array(const std::string& path,
                                               const detail::record_layout& layout,
                                               const std::vector<std::int64_t>& extents,
                                               const array_options& options);

}  // namespace pappus::formats
