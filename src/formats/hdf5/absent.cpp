// In place of library/ where libhdf5's headers weren't there when Pappus was built, and else empty.
#ifndef PAPPUS_HDF5_LIBRARY
#include "formats/hdf5/hdf5_dataset.h"
#include "pappus/error.h"

namespace pappus::formats {

hdf5_dataset describe_hdf5(const array_path& path) {
  throw format_error(path.text() +
                     ": expected a Pappus that reads HDF5 files, got one that was built without "
                     "libhdf5; install libhdf5-dev and build it again");
}

}  // namespace pappus::formats

#endif
