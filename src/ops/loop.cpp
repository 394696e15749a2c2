// do_while: a graph that is evaluated until a condition fails.
#include "pappus/detail/base/loop.h"
#include "graph/operator_entry.h"
#include "ops/implementations.h"

namespace pappus::ops {
namespace {

class loop_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::unknown();
  }
  graph::traffic bytes(const graph::node&, double, double) const override { return {}; }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::loop_on_cpu()};
  }
  bool describes_its_functions() const override { return false; }
  const detail::loop_params* loop_of(const graph::node& n) const override {
    return &n.as<detail::loop_params>();
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& loop_operator() {
  static const ops::loop_entry entry;
  return entry;
}

}  // namespace pappus::detail
