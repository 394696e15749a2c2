// Rows put together by partition.
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/detail/base/apply.h"

namespace pappus::ops {
namespace {

class partition_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound& input) const override {
    return input;
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double) const override {
    const double output = output_bytes(n, rows_in);
    return {.read = 2 * output, .written = output, .output = output, .scratch = 4 * rows_in};
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::partition_on_cpu()};
  }
  double row_work(const graph::node&) const override { return 40; }  // pagerank's: 8 ns a row
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& partition_operator() {
  static const ops::partition_entry entry;
  return entry;
}

}  // namespace pappus::detail
