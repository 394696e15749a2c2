#pragma once

#include <cstddef>

namespace pappus::formats {

struct csv_options {
  char delimiter = ',';
  bool header = true;  ///< the first row names the columns; else they are those bound, in order
  /// Read and parsed together at most, but for longer rows; the first slab is one piece.
  std::size_t slab_bytes = std::size_t{16} << 20;
  std::size_t piece_bytes = std::size_t{256} << 10;  ///< of a slab, for one worker at a time
};

}  // namespace pappus::formats
