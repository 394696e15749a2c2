// Which nodes others take the place of: those that want a side in memory as a whole for which there
// may be no room. Another node has the same rows and takes windows, but more time and an index of
// its own. So it is planned for a try, and stays only if the side comes in windows then, and if
// there is room for that index, or its rows come in windows, too.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "plan/plan.h"
#include "plan/room.h"

namespace pappus::plan {
namespace {

using replacements = std::map<const graph::node*, graph::node_ptr>;

/// A node's stage, if the plan has one.
const stage* stage_of(const plan& p, const graph::node& n) {
  const auto found = std::ranges::find(p.stages, &n, &stage::node);
  return found == p.stages.end() ? nullptr : &*found;
}

/// Whether f(stage) holds for the indexes that a node looks up.
template <typename F>
bool all_indexes(const plan& p, const graph::node& n, F&& f) {
  return std::ranges::all_of(n.stage.sides, [&](const auto& side) {
    if (!side->op->is_join_index()) return true;
    const auto* const of = stage_of(p, *side);
    return of != nullptr && f(*of);
  });
}

bool index_fits(const plan& p, const stage& of, const request& asked) {
  return of.inputs.empty() || all_rows_fit(p, of, asked);
}

/// Whether the plan needs in memory neither what `n` does nor what stands there in its place does.
bool pays(const plan& tried, const graph::node& n, const graph::node& other, const request& asked) {
  return stage_of(tried, other) != nullptr &&
         all_indexes(tried, n, [](const auto& of) { return of.windowed; }) &&
         all_indexes(tried, other,
                     [&](const auto& of) { return of.windowed || index_fits(tried, of, asked); });
}

plan plan_with(replacements instead, const request& asked) {
  plan p;
  p.instead = std::move(instead);
  collect_stages(p, asked);
  bound_rows(p, asked);
  limit_rows(p, asked);
  choose_windows(p, asked);
  return p;
}

void note_replacements(plan& p) {
  for (auto& s : p.stages)
    for (const auto& [of, other] : p.instead)
      if (s.node == other.get())
        s.notes.push_back(fmt::format(
            "takes the place of n{} {}: memory may have no room for the side that this looks up",
            of->id, graph::label(*of)));
}

}  // namespace

void choose_instead(plan& p, const request& asked) {
  if (!asked.rows_can_rest) return;
  replacements instead;
  for (const auto& s : p.stages)
    if (auto other = s.node->op->without_whole_sides(*s.node))
      if (!all_indexes(p, *s.node, [&](const auto& of) { return index_fits(p, of, asked); }))
        instead.emplace(s.node, std::move(other));
  while (!instead.empty()) {
    auto tried = plan_with(instead, asked);
    const auto dropped = std::erase_if(
        instead, [&](const auto& one) { return !pays(tried, *one.first, *one.second, asked); });
    if (dropped > 0) continue;
    tried.history = std::move(p.history);
    p = std::move(tried);
    note_replacements(p);
    return;
  }
}

}  // namespace pappus::plan
