// Where each stage runs, and what that should cost. The CPU is the only device so far; the estimate
// is its memory traffic.
#include "plan/plan.h"

namespace pappus::plan {

void place_stages(plan& p, const request& asked) {
  for (auto& s : p.stages) {
    const auto& entry = ops::find(s.node->kind);
    if (s.known || entry.phases(*s.node).empty()) {
      s.bytes = {};
      s.seconds = 0;
      continue;
    }
    s.bytes = entry.size(*s.node, static_cast<double>(s.rows_in.rows),
                         static_cast<double>(s.rows_out.rows));
    s.seconds = cost::streaming_seconds(asked.machine, s.bytes.read + s.bytes.written);
  }
}

}  // namespace pappus::plan
