// Which stages take a file window by window instead of having it read to memory first: those that
// can, when nobody else reads the same file.
#include "plan/plan.h"

namespace pappus::plan {

void choose_windows(plan& p, const request&) {
  std::vector<int> readers(p.stages.size(), 0);
  for (const auto& s : p.stages)
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto input : *edges) ++readers[index(input)];
  for (const auto root : p.roots) ++readers[index(root)];
  for (auto& s : p.stages) {
    if (s.inputs.size() != 1 || !ops::find(s.node->kind).streams(*s.node)) continue;
    const auto& input = p.stages[index(s.inputs.front())];
    s.windowed = input.node->kind == detail::op_kind::file && !input.known && !input.node->cached &&
                 readers[index(s.inputs.front())] == 1;
  }
}

}  // namespace pappus::plan
