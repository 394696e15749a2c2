// A function of each group's records side by side.
#include "pappus/detail/loops/map_groups.h"

#include <algorithm>
#include <string_view>

#include "base/memory_scale.h"
#include "graph/operator_entry.h"
#include "ops/group.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::ops {
namespace {

bool may_rest(const graph::node& n) { return rows_may_rest(n.as<detail::map_groups_params>()); }

class map_groups_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    const auto& params = n.as<detail::map_groups_params>();
    if (params.apply_flat != nullptr) return graph::bound::unknown();
    return params.domain >= 0 ? graph::bound::exactly(params.domain) : input.loosened();
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    const auto& params = n.as<detail::map_groups_params>();
    const double row = static_cast<double>(sorted_bytes(params) + params.payload_bytes);
    const double output = output_bytes(n, rows_out);
    return {.read = rows_in * (input_row_bytes(n) + 3 * row),
            .written = rows_in * 3 * row + output,
            .output = output,
            .scratch = rows_in * 2 * row,
            .spillable = rows_may_rest(params) ? rows_in * 2 * row : 0};
  }
  bool takes_windows(const graph::node& n) const override { return may_rest(n); }
  bool passes_windows_on(const graph::node& n) const override { return may_rest(n); }
  /// Records rest as they are; with keys that are strings, their text does, too.
  bool keeps_text(const graph::node& n) const override {
    const auto& params = n.as<detail::map_groups_params>();
    return params.values_may_point && !(params.strings && may_rest(n));
  }
  graph::window_memory holds_of_window(const graph::node& n) const override {
    if (!may_rest(n)) return {};
    const double radix = base::scaled(1 << 20);  // its histograms and buffers of lines
    const auto& params = n.as<detail::map_groups_params>();
    if (params.strings) {
      constexpr double key = sizeof(std::string_view), address = sizeof(void*), sorting = 40;
      const auto both = static_cast<double>(params.late.size);
      return {.row = 2 * (both + key + address) + sorting,
              .widest = both,
              .worker = radix,
              .kept = both,
              .text = true};
    }
    const auto key = static_cast<double>(params.key_bytes),
               record = static_cast<double>(params.payload_bytes), both = key + record;
    // Sorted as keys and records apart, with numbers of rows; or as records that begin with their
    // keys, by their addresses or, where they are small, as they are.
    const double addresses = std::max(2 * both + 16, both + 2 * key + 16);
    const double small = both == 8 || both == 16 ? 3 * both + 2 * key : 0;
    return {.row = std::max(small, addresses), .widest = both, .worker = radix, .kept = both};
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
