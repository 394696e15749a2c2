// Reduces a fused stage to one record.
#include <algorithm>

#include "graph/operator_entry.h"
#include "ops/fold.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/detail/base/integers.h"

namespace pappus::ops {

std::int64_t fold_leaf_rows(const detail::reduce_kernel& reducer) {
  return std::int64_t{65536} *
         (1 + static_cast<std::int64_t>(reducer.state_size / detail::large_fold_state));
}

std::size_t fold_state_bytes(const detail::reduce_kernel& reducer) {
  constexpr std::size_t line = 64;
  return detail::round_up(reducer.state_size, line);
}

namespace {

class fold_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::exactly(1);
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double) const override {
    const auto& reducer = n.as<detail::fold_params>().reducer;
    const double leaves = std::min(rows_in / static_cast<double>(fold_leaf_rows(reducer)) + 1,
                                   static_cast<double>(fold_leaves_max));
    return {.read = rows_in * input_row_bytes(n),
            .written = static_cast<double>(reducer.result.size),
            .output = static_cast<double>(reducer.result.size),
            .scratch = leaves * static_cast<double>(fold_state_bytes(reducer))};
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::fold_on_cpu(), &device_ops::fold_on_devices()};
  }
  graph::element_use uses_elements() const override { return graph::element_use::fold; }
  bool takes_windows(const graph::node&) const override { return true; }
  bool reads_block_by_block(const graph::node&) const override { return true; }
  bool keeps_text(const graph::node& n) const override {
    return n.as<detail::fold_params>().reducer.states_may_point;
  }
  bool may_stop_early(const graph::node& n) const override {
    return n.as<detail::fold_params>().reducer.saturated != nullptr;
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& fold_operator() {
  static const ops::fold_entry entry;
  return entry;
}

}  // namespace pappus::detail
