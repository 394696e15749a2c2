// Filters of HDF5 as codecs.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/codecs/codec_chain.h"
#include "formats/hdf5/hdf5_dataset.h"

namespace pappus::formats {

/// A codec for each filter, in their order. Throws hdf5_problem for those that aren't known.
codec_chain codecs_of(const std::vector<hdf5_filter>& filters, std::size_t item_bytes);

}  // namespace pappus::formats
