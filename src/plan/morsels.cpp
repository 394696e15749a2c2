// Rows of a morsel: few enough that its input and output stay in a core's cache and that all cores
// share the end of the work, enough that starting it costs nothing. A multiple of the block
// size, so that blocks are full.
#include <algorithm>

#include "ops/rows.h"
#include "plan/plan.h"

namespace pappus::plan {

void choose_morsels(plan& p, const request& asked) {
  for (auto& s : p.stages) {
    if (asked.chunk_rows > 0) {
      s.morsel_rows = asked.chunk_rows;
      continue;
    }
    const double row = ops::input_row_bytes(*s.node) + static_cast<double>(s.node->out.size);
    const auto fitting =
        static_cast<std::int64_t>(static_cast<double>(asked.machine.cache_bytes) / 2 / row);
    const auto blocks = std::clamp<std::int64_t>(fitting / detail::block_rows_max, 1, 16);
    s.morsel_rows = blocks * detail::block_rows_max;
  }
}

}  // namespace pappus::plan
