// What a join looks keys up in: an index of its right side, one row.
#include <algorithm>

#include "graph/operator_entry.h"
#include "ops/implementations.h"
#include "ops/rows.h"
#include "pappus/detail/base/join.h"

namespace pappus::ops {
namespace {

class join_build_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node&, const graph::bound&) const override {
    return graph::bound::exactly(1);
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double) const override {
    const auto key = static_cast<double>(n.as<detail::join_build_params>().keys.bytes);
    // Half-full buckets of keys and two row numbers; rows partitioned before.
    const double table = rows_in * 2 * (key + 8), moved = rows_in * (key + 4);
    return {.read = rows_in * input_row_bytes(n),
            .written = rows_in * key + moved + table,
            .output = table,
            .scratch = rows_in * key + moved};
  }
  graph::implementations run_by(const graph::node&) const override {
    return {&cpu_ops::join_build_on_cpu()};
  }
  double row_work(const graph::node&) const override {
    return 100;
  }  // a program's 1e5 rows, 23 ns each
  graph::kept_in_loop kept(const graph::node& n, double rows_in) const override {
    if (n.as<detail::join_build_params>().keys.strings) return {};
    return {"its index while keys stay the same", bytes(n, rows_in, 1).output};
  }
  /// Where there is no room for all rows and the index, and the stage that joins can ask for them
  /// (plan/windows.cpp).
  bool takes_windows(const graph::node&) const override { return true; }
  graph::window_memory holds_of_window(const graph::node& n) const override {
    const double record = input_row_bytes(n);
    const auto key = static_cast<double>(n.as<detail::join_build_params>().keys.bytes);
    return {.row = record + key, .widest = std::max(record, key), .worker = 0, .kept = record};
  }
  bool yields_windows(const graph::node&) const override { return false; }
  std::string_view user_name() const override { return "join"; }
  bool is_join_index() const override { return true; }
  /// A row number a key.
  graph::domain_table domain_of(const graph::node& n) const override {
    return {n.as<detail::join_build_params>().domain_rows, sizeof(std::uint32_t)};
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& join_build_operator() {
  static const ops::join_build_entry entry;
  return entry;
}

}  // namespace pappus::detail
