// What a folder of Zarr is: an array, or a group of arrays.
#pragma once

#include <string>

#include "formats/zarr/zarr_array.h"

namespace pappus::formats {

/// A path without the separators at its end.
std::string without_slashes(std::string path);

/// Reads the metadata of the array in a folder. Throws format_error, also for groups.
zarr_array read_zarr_array(const std::string& path);

/// Whether a folder holds an array or a group.
bool is_zarr_store(const std::string& path);

}  // namespace pappus::formats
