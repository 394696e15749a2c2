// A function of each group's records side by side.
#include "graph/operator_entry.h"
#include "ops/group.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::ops {
namespace {

class map_groups_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    const auto& params = n.as<detail::map_groups_params>();
    return params.domain >= 0 ? graph::bound::exactly(params.domain) : input.loosened();
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    const auto& params = n.as<detail::map_groups_params>();
    const double row = static_cast<double>(bits_bytes(params) + params.payload_bytes);
    const double output = output_bytes(n, rows_out);
    return {.read = rows_in * (input_row_bytes(n) + 3 * row),
            .written = rows_in * 3 * row + output,
            .output = output,
            .scratch = rows_in * 2 * row};
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::map_groups_on_cpu()};
  }
  bool describes_its_functions() const override { return false; }
  double row_work(const graph::node&) const override {
    return 200;
  }  // a program's 3e6 rows, 40 ns each
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& map_groups_operator() {
  static const ops::map_groups_entry entry;
  return entry;
}

}  // namespace pappus::detail
