#pragma once

#include <cstddef>

namespace pappus::formats {

struct csv_options {
  char delimiter = ',';
  std::size_t slab_bytes = std::size_t{16}
                           << 20;  ///< read and parsed together; grows for longer rows
  std::size_t piece_bytes = std::size_t{256} << 10;  ///< of a slab, for one worker at a time
};

}  // namespace pappus::formats
