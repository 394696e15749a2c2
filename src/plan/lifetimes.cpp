// After which stage the rows of each other stage can go. Those the user asked to keep stay. A stage
// that only hands on rows of others (take, concat) keeps them alive as long as itself.
#include "plan/plan.h"

namespace pappus::plan {
namespace {

class last_uses {
 public:
  explicit last_uses(plan& p) : plan_(p), needed_later_(p.stages.size(), false) {}

  /// Called for consumers last to first: the first call for an input is its last use.
  /// \param user  the stage that uses it; null: the caller of the query, who keeps it.
  void use(stage_index input, stage* user) {
    if (needed_later_[index(input)]) return;
    needed_later_[index(input)] = true;
    const auto& s = plan_.stages[index(input)];
    if (!s.passes_on) {
      if (s.node->is_cached() && !s.resting) user = nullptr;
      if (user != nullptr) user->frees.push_back(input);
    }
    const bool hands_on = s.passes_on ? s.node->op->adds_its_inputs() : !graph::is_run(*s.node);
    if (!hands_on) return;
    for (const auto seen_through : s.inputs) use(seen_through, user);
  }

 private:
  plan& plan_;
  std::vector<bool> needed_later_;
};

}  // namespace

void find_last_uses(plan& p, const request&) {
  last_uses found(p);
  for (const auto root : p.roots) found.use(root, nullptr);
  for (std::size_t i = p.stages.size(); i-- > 0;) {
    auto& s = p.stages[i];
    if (s.passes_on) continue;  // runs with the stage that takes its windows
    for_each_on_path(p, static_cast<stage_index>(i), [&](stage_index part) {
      for (const auto* edges : {&p.stages[index(part)].inputs, &p.stages[index(part)].sides})
        for (const auto input : *edges) found.use(input, &s);
    });
  }
}

}  // namespace pappus::plan
