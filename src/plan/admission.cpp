// Refuses what can't ever fit: a stage whose result and scratch, known exactly, exceed the whole
// budget. Bounds don't count: a filter may keep little. Tables over a domain that the user named
// don't depend on rows.
#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/join.h"
#include "pappus/detail/loops/group.h"
#include "pappus/error.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

/// Of the keys 0, ..., k - 1 that the user named; -1: none.
std::int64_t domain_of(const graph::node& n) {
  if (n.kind == detail::op_kind::join_build) return n.as<detail::join_build_params>().domain_rows;
  if (n.kind == detail::op_kind::group) return n.as<detail::group_params>().domain;
  return -1;
}

/// A row number for each key, or a reducer and the record made of it.
double bytes_of_key(const graph::node& n) {
  if (n.kind == detail::op_kind::join_build) return sizeof(std::uint32_t);
  return static_cast<double>(n.as<detail::group_params>().state_bytes + n.out.size);
}

void check_domain(const graph::node& n, double limit) {
  const auto keys = domain_of(n);
  if (keys < 0 || static_cast<double>(keys) * bytes_of_key(n) <= limit) return;
  throw memory_error(fmt::format(
      "{}: domain{{{}}} needs {} for its table ({:.0f} B a key), but the memory limit is {}; name "
      "a "
      "smaller domain or none, or raise the limit (PAPPUS_HOST_MEMORY or options::host_memory)",
      n.kind == detail::op_kind::join_build ? "join" : graph::label(n), keys,
      base::bytes_text(static_cast<double>(keys) * bytes_of_key(n)), bytes_of_key(n),
      base::bytes_text(limit)));
}

}  // namespace

void check_memory(plan& p, const request& asked) {
  const auto limit = static_cast<double>(asked.machine.host_memory);
  for (const auto& s : p.stages) {
    if (s.known || s.outside || s.measured) continue;
    check_domain(*s.node, limit);
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
