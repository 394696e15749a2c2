// The node that ends a fused chain: its output in memory.
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::ops {
namespace {

class materialise_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    switch (n.stage.yields) {
      case detail::cardinality::one:
        return input;
      case detail::cardinality::at_most_one:
        return input.loosened();
      case detail::cardinality::any:
        break;
    }
    return graph::bound::unknown();
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    return once_through(n, rows_in, rows_out);
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::materialise_on_cpu(), &device_ops::materialise_on_devices()};
  }
  graph::element_use uses_elements() const override { return graph::element_use::records; }
  bool is_named_by_its_chain() const override { return true; }
  double row_work(const graph::node& n) const override {
    constexpr double kept = 3;  // rows of a filter, put together
    return n.stage.yields == detail::cardinality::one ? 0 : kept;
  }
  bool passes_windows_on(const graph::node&) const override { return true; }
  bool depends_on_window_alone(const graph::node&) const override { return true; }
  bool takes_windows(const graph::node&) const override { return true; }
  bool reads_block_by_block(const graph::node&) const override { return true; }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& materialise_operator() {
  static const ops::materialise_entry entry;
  return entry;
}

}  // namespace pappus::detail
