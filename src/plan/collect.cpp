// One stage per node that the roots need, inputs first. A node that two others need becomes one
// stage.
#include "base/small_map.h"
#include "plan/plan.h"

namespace pappus::plan {

void collect_stages(plan& p, const request& asked) {
  base::small_map<const graph::node*, stage_index> of;
  const auto rows_of = [&](const graph::node& n) {
    if (asked.bound != nullptr)
      if (const auto found = asked.bound->find(&n); found != asked.bound->end())
        return found->second;
    return n.kept_rows();
  };
  const auto outside = [&](const graph::node& n) {
    return asked.assumed != nullptr && asked.assumed->contains(&n);
  };
  const auto stop = [&](const graph::node& n) { return rows_of(n) != nullptr || outside(n); };
  const auto nodes = graph::in_order(asked.roots, stop);
  p.stages.reserve(nodes.size());
  for (const graph::node* n : nodes) {
    of.emplace(n, static_cast<stage_index>(p.stages.size()));
    auto& s = p.stages.emplace_back();
    s.node = n;
    s.known = rows_of(*n);
    s.outside = !s.known && outside(*n);
    if (s.outside) {
      const auto& rows = asked.assumed->at(n);
      s.rows_in = s.rows_out = rows.bounds;
      s.expected_out = rows.expected;
    }
    if (s.known || s.outside) continue;  // what it was made from isn't needed
    for (const auto& input : n->stage.inputs) s.inputs.push_back(of.at(input.get()));
    for (const auto& side : n->stage.sides) s.sides.push_back(of.at(side.get()));
  }
  for (const auto& root : asked.roots) p.roots.push_back(of.at(root.get()));
}

}  // namespace pappus::plan
