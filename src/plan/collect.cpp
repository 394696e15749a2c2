// One stage per node that the roots need, inputs first. A node that two others need becomes one
// stage.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/small_map.h"
#include "plan/plan.h"
#include "plan/room.h"

namespace pappus::plan {

namespace {

/// Rows of a node that are there before the query runs.
struct rows_there {
  const graph::node* of = nullptr;
  detail::rows_ptr known{};
  std::shared_ptr<graph::kept_rows> resting{};
  explicit operator bool() const noexcept { return known != nullptr || resting != nullptr; }
};

rows_there find_rows(const graph::node& n, const request& asked) {
  if (asked.bound != nullptr)
    if (const auto found = asked.bound->find(&n); found != asked.bound->end())
      return {&n, found->second};
  auto kept = n.kept();
  if (kept == nullptr) return {};
  if (!kept->parts().empty() && !kept_rows_fit(*kept, n.out, asked))
    return {&n, {}, std::move(kept)};
  if (auto rows = kept->in_memory()) return {&n, std::move(rows)};
  return {&n, {}, std::move(kept)};
}

void take(stage& s, rows_there rows) {
  s.known = std::move(rows.known);
  s.resting = std::move(rows.resting);
}

}  // namespace

void collect_stages(plan& p, const request& asked) {
  base::small_map<const graph::node*, stage_index> of;
  const auto outside = [&](const graph::node& n) {
    return asked.assumed != nullptr && asked.assumed->contains(&n);
  };
  std::vector<rows_there> ends;  // of the walk: what is there may have gone when it is over
  const auto stop = [&](const graph::node& n) {
    if (auto rows = find_rows(n, asked)) {
      ends.push_back(std::move(rows));
      return true;
    }
    return outside(n);
  };
  const auto planned = [&](const graph::node& n) {
    const auto other = p.instead.find(&n);
    return other == p.instead.end() ? &n : other->second.get();
  };
  const auto nodes = graph::in_order(asked.roots, stop, planned);
  p.stages.reserve(nodes.size());
  for (const graph::node* n : nodes) {
    of.emplace(n, static_cast<stage_index>(p.stages.size()));
    auto& s = p.stages.emplace_back();
    s.node = n;
    const auto end = std::ranges::find(ends, n, &rows_there::of);
    if (end != ends.end())
      take(s, std::move(*end));
    else if (n->stage.inputs.empty() && n->stage.sides.empty())  // the walk didn't ask
      take(s, find_rows(*n, asked));
    s.outside = !s.is_there() && outside(*n);
    if (s.outside) {
      const auto& rows = asked.assumed->at(n);
      s.rows_in = s.rows_out = rows.bounds;
      s.expected_out = rows.expected;
    }
    if (s.is_there() || s.outside) continue;  // what it was made from isn't needed
    for (const auto& input : n->stage.inputs) s.inputs.push_back(of.at(planned(*input)));
    for (const auto& side : n->stage.sides) s.sides.push_back(of.at(planned(*side)));
  }
  for (const auto& root : asked.roots) p.roots.push_back(of.at(root.get()));
}

}  // namespace pappus::plan
