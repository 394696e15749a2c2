// Running totals.
#include <algorithm>

#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/detail/loops/scan.h"

namespace pappus::ops {
namespace {

class scan_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound& input) const override {
    return input;
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    const auto& params = n.as<detail::scan_params>();
    const double tile = std::min(rows_in, static_cast<double>(params.tile_rows)) *
                        static_cast<double>(params.buffered_bytes);
    return once_through(n, rows_in, rows_out, 2 * tile);
  }
  bool takes_windows(const graph::node&) const override { return true; }
  bool keeps_text(const graph::node& n) const override { return n.out.may_point(); }
  bool passes_windows_on(const graph::node&) const override { return true; }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::scan_on_cpu(), &device_ops::scan_on_devices()};
  }
  graph::element_use uses_elements() const override { return graph::element_use::records; }
  double row_work(const graph::node&) const override { return 5; }  // no more than its traffic
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& scan_operator() {
  static const ops::scan_entry entry;
  return entry;
}

}  // namespace pappus::detail
