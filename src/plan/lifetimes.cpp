// After which stage the rows of each other stage can go.
#include "plan/plan.h"

namespace pappus::plan {

void find_last_uses(plan& p, const request&) {
  std::vector<bool> needed_later(p.stages.size(), false);
  for (const auto root : p.roots) needed_later[index(root)] = true;
  for (std::size_t i = p.stages.size(); i-- > 0;) {
    auto& s = p.stages[i];
    for (const auto* edges : {&s.inputs, &s.sides})
      for (const auto input : *edges)
        if (!needed_later[index(input)]) {
          needed_later[index(input)] = true;
          s.frees.push_back(input);
        }
  }
}

}  // namespace pappus::plan
