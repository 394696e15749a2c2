// Where each stage runs, and what that should cost. The CPU is the only device so far; the estimate
// is its memory traffic.
#include "plan/plan.h"

namespace pappus::plan {

void place_stages(plan& p, const request& asked) {
  for (auto& s : p.stages) {
    const auto& entry = ops::find(s.node->kind);
    const bool file = s.node->kind == detail::op_kind::file;
    if (s.known || s.outside || (entry.phases(*s.node).empty() && !file)) {
      s.bytes = {};
      s.seconds = 0;
      continue;
    }
    s.bytes = entry.size(*s.node, static_cast<double>(s.rows_in.rows),
                         static_cast<double>(s.rows_out.rows));
    // A stage that streams a file reads the file, not rows that were put in memory before.
    if (s.windowed)
      s.bytes.read = p.stages[index(s.inputs.front())].node->as<detail::file_params>().bytes;
    s.seconds = cost::streaming_seconds(asked.machine, s.bytes.read + s.bytes.written);
  }
}

}  // namespace pappus::plan
