// The rows with the greatest or least keys.
#include <algorithm>

#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "ops/top.h"

namespace pappus::ops {
namespace {

class top_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    const auto rows = input.limited(n.as<detail::top_params>().limit);
    return n.stage.yields == detail::cardinality::one ? rows : rows.loosened();
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    const auto& params = n.as<detail::top_params>();
    const auto bytes_of = [&](std::int64_t candidates) {
      return std::min(static_cast<double>(candidates), rows_in) *
             static_cast<double>(params.candidate.size);
    };
    const double usual = 2 * bytes_of(top_candidates_max(params));
    auto all = once_through(n, rows_in, rows_out, usual);
    all.shrinks = usual - bytes_of(top_candidates_min(params));
    return all;
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::top_on_cpu(), &device_ops::sort_on_devices()};
  }
  graph::element_use uses_elements() const override { return graph::element_use::records; }
  bool takes_windows(const graph::node&) const override { return true; }
  bool reads_block_by_block(const graph::node&) const override { return true; }
  /// Text that is found is copied for the candidates that are left of a window.
  bool keeps_text(const graph::node& n) const override {
    return n.as<detail::top_params>().candidate.text == detail::text_in::unknown;
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& top_operator() {
  static const ops::top_entry entry;
  return entry;
}

}  // namespace pappus::detail
