// How many rows each stage reads and yields, as far as can be said without running it. Rows a stage
// was found to have are exact.
#include <algorithm>

#include "plan/plan.h"

namespace pappus::plan {
namespace {

using graph::bound;

/// Rows of inputs read in step: as many as the shortest.
bound shortest(const bound& a, const bound& b) {
  if (a.known == bound::certainty::unknown)
    return b.known == bound::certainty::unknown ? a : b.loosened();
  if (b.known == bound::certainty::unknown) return a.loosened();
  return {std::min(a.rows, b.rows), std::max(a.known, b.known)};
}

bound sum(const bound& a, const bound& b) { return {a.rows + b.rows, std::max(a.known, b.known)}; }

}  // namespace

void bound_rows(plan& p, const request&) {
  for (auto& s : p.stages) {
    const auto& n = *s.node;
    if (s.is_there()) {
      s.rows_in = s.rows_out = bound::exactly(s.known ? s.known->rows() : s.resting->rows());
      continue;
    }
    if (s.outside) continue;
    bool first = n.stage.rows < 0;
    bound in = bound::exactly(std::max<std::int64_t>(n.stage.rows, 0));
    for (const auto input : s.inputs) {
      const auto& rows = p.stages[index(input)].rows_out;
      in = first ? rows : n.op->adds_its_inputs() ? sum(in, rows) : shortest(in, rows);
      first = false;
    }
    s.rows_in = in;
    if (!s.measured) s.rows_out = n.op->output_rows(n, in).limited(s.limit);
  }
}

}  // namespace pappus::plan
