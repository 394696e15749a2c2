// What a place, the CPU or a device, says when asked to run a stage.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pappus::ops {

struct answer {
  std::string why_not{};                  ///< "map: its function has no device code"; empty: it can
  bool built = true;                      ///< its kernels are compiled already
  double launches = 1;                    ///< of kernels, if all rows are one chunk
  double scratch_row_bytes = 0;           ///< bytes a row that it needs besides input and output
  bool shares = true;                     ///< places of one kind may each take a part of the rows
  std::vector<std::size_t> read_bytes{};  ///< per input: bytes read of a record; empty: not known
  bool possible() const noexcept { return why_not.empty(); }
};

}  // namespace pappus::ops
