// Stages of which only the first rows are read: a sort before take(n), say, needn't sort the rest.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "ops/slice.h"
#include "plan/plan.h"

namespace pappus::plan {
namespace {

/// Rows that a stage reads of an input, where `limit` of its own are read.
std::int64_t rows_read(const stage& reader, std::int64_t limit) {
  const auto* const slice = reader.node->op->slice_of(*reader.node);
  if (slice == nullptr) return INT64_MAX;
  auto read = *slice;
  read.take = std::min(read.take, limit);
  return ops::rows_wanted(read, 0);
}

}  // namespace

void limit_rows(plan& p, const request&) {
  std::vector<std::int64_t> limits(p.stages.size(), 0);
  for (const auto root : p.roots) limits[index(root)] = INT64_MAX;
  for (std::size_t i = p.stages.size(); i-- > 0;) {  // after those that read it
    auto& s = p.stages[i];
    if (s.node->is_cached()) limits[i] = INT64_MAX;
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto input : *edges)
        limits[index(input)] = std::max(limits[index(input)], rows_read(s, limits[i]));
    const bool all =
        s.rows_in.known != graph::bound::certainty::unknown && s.rows_in.rows <= limits[i];
    if (all || limits[i] == INT64_MAX || s.is_there() || s.outside ||
        !s.node->op->takes_limit(*s.node))
      continue;
    s.limit = limits[i];
    s.rows_out = s.rows_out.limited(s.limit);
    s.notes.push_back(
        s.limit == 1 ? "only the first row is read"
                     : fmt::format("only the first {} rows are read", base::count_text(s.limit)));
  }
}

}  // namespace pappus::plan
