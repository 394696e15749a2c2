// Arrays in HDF5 files, and so in those of netCDF 4, which are HDF5 files: datasets are read.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "formats/array_file.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// Opens a dataset: "flow.nc:/run/velocity". Throws format_error.
std::unique_ptr<array_file> open_hdf5(const std::string& path, const detail::record_layout& layout,
                                      std::size_t rank);

}  // namespace pappus::formats
