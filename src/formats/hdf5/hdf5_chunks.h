// Where the chunks of a dataset lie in its file.
//
// Until version 1.12 libhdf5 looks through its whole index to tell of one chunk, so that 10^5 of
// them would take minutes. The index that it writes if not asked for a newer one, a B-tree of
// version 1 (HDF5 File Format Specification, III.A.1), is read here instead, once and in order.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/byte_source.h"
#include "formats/hdf5/hdf5_area.h"

namespace pappus::formats {

struct hdf5_chunk {
  std::int64_t number = 0;    ///< among all chunks, in row-major order
  std::int64_t offset = 0;    ///< in the file
  std::int64_t bytes = 0;     ///< that it takes there
  std::uint32_t skipped = 0;  ///< bit i: it didn't pass filter i
};

/// Chunks that are stored, in ascending order.
class hdf5_chunks {
 public:
  hdf5_chunks() = default;
  explicit hdf5_chunks(std::vector<hdf5_chunk> sorted) : sorted_(std::move(sorted)) {}

  /// Null: it isn't stored.
  const hdf5_chunk* find(std::int64_t number) const noexcept;
  const std::vector<hdf5_chunk>& all() const noexcept { return sorted_; }

 private:
  std::vector<hdf5_chunk> sorted_;
};

/// The chunks of a dataset, as a grid.
struct hdf5_grid {
  std::vector<std::int64_t> extents;  ///< of the dataset
  std::vector<std::int64_t> chunk;    ///< at least 1 each

  /// The number of a chunk by its place in the grid.
  template <typename Place>
  std::int64_t number_of(const Place& place) const noexcept {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const std::int64_t chunks = (extents[d] - 1) / chunk[d] + 1;
      number = number * chunks + (d < place.size() ? place[d] : 0);
    }
    return number;
  }
};

/// Reads the B-tree whose root is at `root`. Throws hdf5_problem for whatever isn't one of chunks
/// of that grid within the file, and what reading throws.
hdf5_chunks read_hdf5_btree(const byte_source& file, const hdf5_addresses& addresses,
                            std::uint64_t root, const hdf5_grid& grid);

}  // namespace pappus::formats
