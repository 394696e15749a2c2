// Names in HDF5 files: the object of a name, and those that are there instead.
#pragma once

#include <string>

#include "formats/hdf5/library/hdf5_library.h"

namespace pappus::formats {

/// Opens the dataset that is called `inner` in an open file. Throws hdf5_problem where there is
/// none, or something else, naming the datasets that there are.
/// \param named  the file's name as the user gave it
hid_t open_hdf5_dataset(const hdf5_calls& calls, hid_t file, const std::string& named,
                        const std::string& inner);

}  // namespace pappus::formats
