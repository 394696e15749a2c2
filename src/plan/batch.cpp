#include "plan/batch.h"

#include <fmt/format.h>

#include "cost/work.h"

namespace pappus::plan {
namespace {

struct batch_pass {
  const char* name;
  void (*run)(plan&, const batch_request&);
};

constexpr batch_pass batch_passes[] = {{"collect", collect_launches}, {"leaves", find_leaves},
                                       {"needs", find_needs},         {"items", cut_items},
                                       {"turns", order_items},        {"tiles", cut_tiles},
                                       {"place", place_launches}};

}  // namespace

plan plan_batch(const batch_request& asked) {
  plan p;
  for (const auto& [name, run] : batch_passes) {
    run(p, asked);
    if (asked.keep_history) p.history.push_back({name, p.print()});
  }
  return p;
}

void collect_launches(plan& p, const batch_request& asked) {
  p.stages.reserve(asked.launches.size());
  for (const auto& node : asked.launches) {
    auto& s = p.stages.emplace_back();
    s.node = node.get();
    const auto& launch = arrays::launch_of(*node);
    s.bytes = node->op->bytes(*node, 0, 0);
    s.expected_in = static_cast<double>(launch.indices.volume());
    s.rows_in = graph::bound::exactly(launch.indices.volume());
    s.functions = asked.ask_work ? &asked.ask_work(*node) : nullptr;
    s.how = s.functions != nullptr ? s.functions->how : cost::trust::at_least;
    if (s.functions != nullptr) s.work = s.functions->of_row({}) * s.expected_in;
    s.seconds = cpu_seconds(asked.machine, s);
    if (!launch.inferred.empty())
      s.notes.push_back(fmt::format("taken as given: {}; the compiler finds: {}", launch.footprint,
                                    launch.inferred));
    if (launch.known == arrays::launch::knowledge::assumed && !launch.indices.empty())
      s.notes.push_back(
          "what it touches isn't known, so launches over its arrays run one after another; "
          "pappus_enable() (clang) finds it, annotated() and at() say it");
  }
}

}  // namespace pappus::plan
