// Values to the places that they name.
#include "pappus/detail/loops/scatter.h"
#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/error.h"

namespace pappus::ops {
namespace {

class scatter_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound&) const override {
    return graph::bound::exactly(n.as<detail::scatter_params>().extent);
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    return once_through(n, rows_in, rows_out, rows_out);
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::scatter_on_cpu()};
  }
  double row_work(const graph::node&) const override { return 20; }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& scatter_operator() {
  static const ops::scatter_entry entry;
  return entry;
}

std::int64_t scatter_extent(std::int64_t n) {
  if (n < 0) throw usage_error("scatter: expected 0 or more records, got " + std::to_string(n));
  return n;
}

}  // namespace pappus::detail
