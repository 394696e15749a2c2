#include "plan/batch.h"

#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "cost/work.h"

namespace pappus::plan {
namespace {

struct batch_pass {
  const char* name;
  void (*run)(plan&, const batch_request&);
};

constexpr batch_pass batch_passes[] = {
    {"collect", collect_launches}, {"chunks", find_chunks}, {"leaves", find_leaves},
    {"registers", find_registers}, {"needs", find_needs},   {"items", cut_items},
    {"turns", order_items},        {"tiles", cut_tiles},    {"place", place_launches}};

/// Tells that arrays don't fit in memory together.
void note_disk(plan& p, const batch_request& asked) {
  std::set<const arrays::storage*> all;
  double bytes = 0;
  for (const auto& node : asked.launches)
    for (const auto& argument : arrays::launch_of(*node).arguments)
      if (argument.elements != nullptr && argument.elements->pageable != nullptr &&
          all.insert(argument.elements.get()).second)
        bytes += static_cast<double>(argument.array->bytes());
  const auto memory = static_cast<double>(asked.machine.host_memory);
  if (bytes <= memory) return;
  p.stages.front().notes.push_back(
      fmt::format("the arrays of these launches take {}, with {} of memory: sections that no item "
                  "needs go to the spill file and come back",
                  base::bytes_text(bytes), base::bytes_text(memory)));
}

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
  note_disk(p, asked);
}

}  // namespace pappus::plan
