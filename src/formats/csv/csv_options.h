#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/csv/csv_dialect.h"

namespace pappus::formats {

struct csv_options {
  char delimiter = ',';
  bool header = true;  ///< the first row names the columns; else columns are bound in their order
  std::vector<std::string> missing{};  ///< texts besides none that stand for what is missing
  csv_dialect dialect{};
  std::int64_t skip = 0;  ///< lines before the header, or before the first row
  char comment = 0;       ///< begins further lines there that are left out; 0: there are none
  std::shared_ptr<detail::bad_row_source> bad_rows{};  ///< null: a bad row is an error
  /// The most bytes that are read, then parsed, at a time, unless a row is longer. The first slab
  /// has only piece_bytes.
  std::size_t slab_bytes = std::size_t{16} << 20;
  std::size_t piece_bytes = std::size_t{256} << 10;  ///< of a slab, for one worker at a time
};

}  // namespace pappus::formats
