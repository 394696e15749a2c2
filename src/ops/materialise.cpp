// The node that ends a fused chain: its output in memory.
#include "ops/operator.h"
#include "ops/registry.h"
#include "ops/stage_writer.h"

namespace pappus::ops {
namespace {

void write(run_context& context) {
  write_stage(context, context.node.as<detail::write_params>().loop, 0, context.rows,
              *context.output);
}

constexpr phase write_phases[] = {
    {"write", phase::kind::launch, phase::when::each_window, write},
};

class materialise_entry final : public operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    switch (n.stage.form) {
      case detail::shape::aligned:
        return input;
      case detail::shape::masked:
        return input.loosened();
      case detail::shape::many:
        break;
    }
    return graph::bound::unknown();
  }
  footprint size(const graph::node& n, double rows_in, double rows_out) const override {
    const double written = rows_out * static_cast<double>(n.out.size);
    return {
        .read = rows_in * input_row_bytes(n), .written = written, .output = written, .scratch = 0};
  }
  std::span<const phase> phases(const graph::node&) const override { return write_phases; }
  bool streams(const graph::node&) const override { return true; }
};

}  // namespace

const operator_entry& materialise_operator() {
  static const materialise_entry entry;
  return entry;
}

}  // namespace pappus::ops
