// Types of HDF5 as items of arrays.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/hdf5/library/hdf5_library.h"
#include "formats/item_match.h"

namespace pappus::formats {

struct hdf5_item {
  array_item item;
  std::vector<bool> truths;           ///< a field each: enumerations of FALSE and TRUE
  std::vector<std::int64_t> extents;  ///< of an array that is the dataset's type; else none
};

/// Fields that no record can hold have no type, and a dtype in words. Throws hdf5_problem for what
/// isn't stored in the item itself, but elsewhere in the file: text of varying length, references.
hdf5_item read_hdf5_type(const hdf5_calls& calls, hid_t type);

}  // namespace pappus::formats
