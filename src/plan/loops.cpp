// Plans the body of each do_while, for explain: what an iteration will do. When the loop runs, each
// iteration plans anew, with what is known by then.
#include <sstream>

#include "pappus/detail/base/loop.h"
#include "plan/plan.h"

namespace pappus::plan {

void plan_loop_bodies(plan& p, const request& asked) {
  if (!asked.keep_history) return;
  for (auto& s : p.stages) {
    const auto* repeated = s.node->op->loop_of(*s.node);
    if (repeated == nullptr || s.known) continue;
    const auto& loop = *repeated;
    assumptions assumed;
    for (std::size_t i = 0; i < loop.invariants.size(); ++i)
      assumed[loop.invariants[i].node.get()] = p.stages[index(s.inputs[i + 1])].rows_out;
    assumed[loop.placeholder.get()] = p.stages[index(s.inputs[0])].rows_out;
    request body = asked;
    body.roots = {&loop.body, 1};
    body.bound = nullptr;
    body.assumed = &assumed;
    const auto planned = make_plan(body);
    for (std::size_t i = 0; i < planned.stages.size(); ++i)
      if (!planned.stages[i].where.devices.empty())
        s.body_on_devices.emplace_back(i, planned.stages[i].node);
    std::istringstream lines(planned.print());
    for (std::string line; std::getline(lines, line);) s.body += "     |" + line + "\n";
  }
}

}  // namespace pappus::plan
