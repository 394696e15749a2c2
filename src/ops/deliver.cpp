// Hands the records of a fused stage to a function of the caller's.
#include <algorithm>

#include "base/memory_scale.h"
#include "graph/operator_entry.h"
#include "ops/deliver.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::ops {
namespace {

class deliver_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::exactly(0);
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double) const override {
    const double out = output_bytes(n, rows_in);
    const double run = std::min(out, static_cast<double>(base::scaled(deliver_run_bytes)));
    return {
        .read = rows_in * input_row_bytes(n),
        .written = out,
        .output = 0,
        .scratch = run,
        .shrinks = std::max(run - static_cast<double>(base::scaled(deliver_run_bytes_least)), 0.0)};
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::deliver_on_cpu()};
  }
  bool takes_windows(const graph::node&) const override { return true; }
  bool reads_block_by_block(const graph::node&) const override { return true; }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& deliver_operator() {
  static const ops::deliver_entry entry;
  return entry;
}

}  // namespace pappus::detail
