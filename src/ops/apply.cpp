// An opaque function on each partition of a collection, or on even pieces of it.
#include "pappus/detail/base/apply.h"
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::ops {
namespace {

class apply_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::unknown();
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    return once_through(n, rows_in, rows_out);
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::apply_on_cpu()};
  }
  bool describes_its_functions() const override { return false; }
  std::string note(const graph::node& n) const override {
    return n.as<detail::apply_params>().shares_input ? "already partitioned" : "";
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& apply_operator() {
  static const ops::apply_entry entry;
  return entry;
}

}  // namespace pappus::detail
