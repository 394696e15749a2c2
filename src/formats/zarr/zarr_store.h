// What a folder of Zarr is: an array, or a group of arrays.
#pragma once

#include <string>

#include "formats/zarr/zarr_array.h"

namespace pappus::formats {

/// A path without the separators at its end.
std::string without_slashes(std::string path);

/// Reads the metadata of the array in a folder. Throws format_error, also for groups.
zarr_array read_zarr_array(const std::string& path);

/// Makes groups of the folders above an array's, from "store.zarr" on, that aren't there or are
/// empty. Throws format_error, also where one of them is an array.
void make_zarr_groups(const std::string& array_folder, int version);

/// Whether a folder holds an array or a group.
bool is_zarr_store(const std::string& path);

}  // namespace pappus::formats
