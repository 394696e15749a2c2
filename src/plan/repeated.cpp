// Tells the user where one call of an operator in the program is computed by several stages: fused
// into each of them; and where a step was left out because another one does the same.
#include <fmt/format.h>

#include "base/small_map.h"
#include "plan/plan.h"

namespace pappus::plan {

void note_repeated_work(plan& p, const request&) {
  base::small_map<std::uint64_t, std::size_t> first_stage;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& s = p.stages[i];
    std::string names;
    std::size_t other = 0;
    for (const auto& op : s.node->stage.ops) {
      const auto [found, is_new] = first_stage.emplace(op.id, i);
      if (is_new || op.name == "range") continue;
      other = *found;
      if (!names.empty()) names += "·";
      names += op.name;
    }
    if (auto note = s.node->op->note(*s.node); !note.empty()) s.notes.push_back(std::move(note));
    if (names.empty()) continue;
    s.recomputed = fmt::format(
        "{} is recomputed here and in s{}; .cache() before it branches shares it", names, other);
    s.notes.push_back(s.recomputed);
  }
}

}  // namespace pappus::plan
