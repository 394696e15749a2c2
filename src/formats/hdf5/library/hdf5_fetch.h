// Chunks of datasets whose index is none of the older B-trees: what libhdf5 tells of them, and who
// brings their bytes where there are too many to ask for each.
#pragma once

#include "formats/hdf5/hdf5_dataset.h"
#include "formats/hdf5/library/hdf5_library.h"

namespace pappus::formats {

/// Fills in `chunks` or `fetcher` of a dataset that has chunks, unless these have a B-tree of
/// version 1. Throws hdf5_problem.
void find_hdf5_chunks(const hdf5_calls& calls, hid_t dataset, hdf5_dataset& described);

}  // namespace pappus::formats
