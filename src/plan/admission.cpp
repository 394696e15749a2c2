// Refuses what can't ever fit: a stage whose result and scratch, known exactly, exceed the whole
// budget. Bounds don't count: a filter may keep little.
#include <fmt/format.h>

#include "base/text.h"
#include "pappus/error.h"
#include "plan/plan.h"

namespace pappus::plan {

void check_memory(plan& p, const request& asked) {
  const auto limit = static_cast<double>(asked.machine.host_memory);
  for (const auto& s : p.stages) {
    if (!s.rows_in.exact() || !s.rows_out.exact() || s.measured) continue;
    if (s.passes_on || (s.windowed && s.node->kind != detail::op_kind::slice)) continue;
    const double need = s.bytes.output + s.bytes.scratch;
    if (need > limit)
      throw memory_error(fmt::format(
          "{}: needs {} for {} rows of {} ({} for the result, {} besides), but the memory limit is "
          "{}; raise the limit (PAPPUS_HOST_MEMORY or options::host_memory) or use less data",
          graph::label(*s.node), base::bytes_text(need), base::count_text(s.rows_out.rows),
          s.node->out.name, base::bytes_text(s.bytes.output), base::bytes_text(s.bytes.scratch),
          base::bytes_text(limit)));
  }
}

}  // namespace pappus::plan
