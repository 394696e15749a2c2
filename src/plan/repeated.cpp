// Tells the user where one call of an operator in the program is computed by several stages: fused
// into each of them; and where a step was left out because another one does the same.
#include <unordered_map>

#include <fmt/format.h>

#include "pappus/detail/base/apply.h"
#include "plan/plan.h"

namespace pappus::plan {

void note_repeated_work(plan& p, const request&) {
  std::unordered_map<std::uint64_t, std::size_t> first_stage;
  for (std::size_t i = 0; i < p.stages.size(); ++i) {
    auto& s = p.stages[i];
    std::string names;
    std::size_t other = 0;
    for (const auto& op : s.node->stage.ops) {
      const auto [found, is_new] = first_stage.emplace(op.id, i);
      if (is_new || op.name == "range") continue;
      other = found->second;
      if (!names.empty()) names += "·";
      names += op.name;
    }
    if (s.node->kind == detail::op_kind::apply && s.node->as<detail::apply_params>().shares_input)
      s.notes.push_back("already partitioned");
    if (!names.empty())
      s.notes.push_back(fmt::format(
          "{} is recomputed here and in s{}; .cache() before it branches shares it", names, other));
  }
}

}  // namespace pappus::plan
