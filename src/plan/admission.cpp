// Refuses what can't ever fit: a stage whose result and scratch (without what may go to a disk),
// known exactly, exceed the whole budget. Bounds don't count: a filter may keep little. Tables over
// a domain that the user named don't depend on rows.
#include <fmt/format.h>

#include "base/text.h"
#include "pappus/error.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

void check_domain(const graph::node& n, double limit) {
  const auto table = n.op->domain_of(n);
  const double bytes = static_cast<double>(table.keys) * table.key_bytes;
  if (table.keys < 0 || bytes <= limit) return;
  throw memory_error(fmt::format(
      "{}: domain{{{}}} needs {} for its table ({:.0f} B a key), but the memory limit is {}; name "
      "a smaller domain or none, or raise the limit (PAPPUS_HOST_MEMORY or options::host_memory)",
      n.op->user_name().empty() ? graph::label(n) : n.op->user_name(), table.keys,
      base::bytes_text(bytes), table.key_bytes, base::bytes_text(limit)));
}

}  // namespace

void check_memory(plan& p, const request& asked) {
  const auto limit = static_cast<double>(asked.machine.host_memory);
  for (const auto& s : p.stages) {
    if (s.is_there() || s.outside || s.measured) continue;
    check_domain(*s.node, limit);
    if (!s.rows_in.exact() || !s.rows_out.exact() || s.measured) continue;
    if (s.passes_on || s.in_parts || (s.windowed && s.node->op->slice_of(*s.node) == nullptr))
      continue;
    const double need =
        s.bytes.output + s.bytes.scratch - (asked.rows_can_rest ? s.bytes.spillable : 0);
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
