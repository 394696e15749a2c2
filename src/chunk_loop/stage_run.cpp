#include "chunk_loop/stage_run.h"

#include <algorithm>

#include "chunk_loop/overlaps.h"
#include "codegen/element/element.h"

namespace pappus::chunk_loop {

std::shared_ptr<detail::row_set> empty_result(const stage_run& run) {
  auto rows = std::make_shared<detail::row_set>(run.node.out);
  rows->keep(run.host_memory);
  for (const auto& input : run.inputs)
    if (input.host) rows->keep_owners_of(*input.host);
  for (const auto& side : run.sides) rows->keep_owners_of(*side);
  return rows;
}

bool inputs_in_place(const stage_run& run) {
  return std::ranges::all_of(run.devices, [](auto* d) { return d->memory().in_place(); }) &&
         std::ranges::all_of(run.inputs, [](const stage_input& input) {
           return !input.host || input.rows() == 0 ||
                  usable_in_place(*input.host, 0, input.rows()) != nullptr;
         });
}

void take_values(stage_run& run) {
  const auto captured = codegen::values_of(run.node);
  run.values = captured->bytes;
  run.traps = codegen::element_of(run.node)->traps;
  if (!codegen::copy_references(captured->references, run.values))
    throw needs_cpu{"a captured reference or pointer leads to memory that can't be read"};
}

}  // namespace pappus::chunk_loop
