// What a place, the CPU or a device, says when asked to run a stage.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pappus::ops {

struct answer {
  std::string why_not{};                  ///< "map: its function has no device code"; empty: it can
  bool built = true;                      ///< its code needn't be compiled first
  double launches = 1;                    ///< of kernels, for the stage's rows in one chunk
  double scratch_row_bytes = 0;           ///< memory there besides input and output, bytes a row
  bool shares = true;                     ///< places of one kind may each take a part of the rows
  std::vector<std::size_t> read_bytes{};  ///< of each input's records; empty: not known
  bool possible() const noexcept { return why_not.empty(); }
};

}  // namespace pappus::ops
