// Where the elements of a dataset lie, which its object header tells: in one piece, or where the
// index of its chunks is.
//
// libhdf5 reads headers, too, and tells all of them but the address of that index. So a header is
// looked through here for the one message that has it (HDF5 File Format Specification, IV.A), in
// both forms that headers have and in the versions 1 to 4 of the message.
#pragma once

#include <cstdint>

#include "formats/byte_source.h"
#include "formats/hdf5/hdf5_area.h"

namespace pappus::formats {

struct hdf5_layout {
  enum class form {
    one_piece,    ///< elements one after another
    chunks,       ///< with an index that is a B-tree of version 1
    other_chunks  ///< with another index, which only libhdf5 reads
  };
  form is = form::one_piece;
  bool stored = false;        ///< false: nothing was written yet
  std::uint64_t address = 0;  ///< of the piece, or the B-tree
};

/// \param header  the address of the dataset's object header
/// Throws hdf5_problem, and what reading throws.
hdf5_layout read_hdf5_layout(const byte_source& file, const hdf5_addresses& addresses,
                             std::uint64_t header);

}  // namespace pappus::formats
