// The node that ends a fused chain: its output in memory.
#include "cpu_ops/contract.h"
#include "cpu_ops/stage_writer.h"
#include "ops/implementations.h"

namespace pappus::cpu_ops {
namespace {

void write(run_context& context) {
  write_stage(context, context.node.as<detail::write_params>().loop, 0, context.rows,
              *context.output);
}

constexpr phase write_phases[] = {
    {"write", phase::kind::launch, phase::when::each_window, write},
};

}  // namespace

const cpu_operator& materialise_on_cpu() {
  static constexpr cpu_operator made{write_phases};
  return made;
}

}  // namespace pappus::cpu_ops
