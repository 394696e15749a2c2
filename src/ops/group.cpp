// group_by: a grouped reduction, or the distinct keys.
#include <cmath>

#include "algorithms/dense_groups.h"
#include "algorithms/group_leaves.h"
#include "base/memory_scale.h"
#include "graph/operator_entry.h"
#include "ops/group.h"
#include "ops/implementations.h"
#include "ops/rows.h"

namespace pappus::ops {

double dense_group_scratch(const detail::group_params& params, double rows) {
  const auto table = static_cast<double>(algorithms::group_table_bytes(params));
  const auto leaf_rows = algorithms::group_leaf_rows(params);
  if (algorithms::group_has_leaf_tables(params)) {
    const double leaves = rows / static_cast<double>(leaf_rows) + 1;
    return algorithms::leaf_tree::levels_of(leaves) * table +
           std::min(leaves * (table + 128),
                    static_cast<double>(base::scaled(group_leaf_tables_bytes)));
  }
  const auto row = static_cast<double>(params.key_bytes + params.payload_bytes);
  const double leaves = params.exact ? 1 : rows / static_cast<double>(leaf_rows);
  const double tables = leaves <= 1 ? 1 : 1 + algorithms::leaf_tree::levels_of(leaves);
  return tables * table +
         std::min(rows * row * 1.25, static_cast<double>(base::scaled(group_store_bytes)));
}

double hash_group_scratch(const detail::group_params& params, double rows, double groups) {
  const auto key = static_cast<double>(bits_bytes(params));
  const double store = std::min(rows * (key + static_cast<double>(params.payload_bytes)),
                                static_cast<double>(base::scaled(group_store_bytes)));
  const double slot = key + static_cast<double>(params.state_bytes);
  // The leaf under way and levels of leaf_tree, half full.
  const auto leaf_rows = static_cast<double>(
      algorithms::rows_of_group_leaf(groups, algorithms::unknown_key_leaves::least_rows()));
  const double tables = params.exact || rows <= leaf_rows
                            ? 1
                            : 1 + algorithms::leaf_tree::levels_of(rows / leaf_rows);
  const double text = params.strings ? sizeof(std::string_view) + sizeof(detail::bits128) : 0;
  return store + groups * (2 * tables * slot + 2 * (key + 8) + text);
}

bool groups_may_rest(const detail::group_params& params) {
  const bool text_moves = !params.states_may_point && params.late.text == detail::text_in::views;
  return params.domain < 0 && (!params.strings || text_moves);
}

namespace {

bool can_rest(const graph::node& n) { return groups_may_rest(n.as<detail::group_params>()); }

class group_entry final : public graph::operator_entry {
 public:
  graph::bound output_rows(const graph::node& n, const graph::bound& input) const override {
    const auto& params = n.as<detail::group_params>();
    if (params.domain >= 0) return graph::bound::exactly(params.domain);
    return n.stage.yields == detail::cardinality::any ? graph::bound::unknown() : input.loosened();
  }
  graph::traffic bytes(const graph::node& n, double rows_in, double rows_out) const override {
    const auto& params = n.as<detail::group_params>();
    auto made = once_through(n, rows_in, rows_out,
                             params.domain >= 0 ? dense_group_scratch(params, rows_in)
                                                : hash_group_scratch(params, rows_in, rows_out));
    if (can_rest(n)) made.spillable = made.scratch;
    return made;
  }
  graph::implementations run_by(const graph::node& n) const override {
    return {can_rest(n) ? &cpu_ops::ordered_group_on_cpu() : &cpu_ops::group_on_cpu(),
            &device_ops::group_on_devices()};
  }
  graph::element_use uses_elements() const override { return graph::element_use::group; }
  double row_work(const graph::node& n) const override {
    constexpr double hashed = 20;   // groupby: 1.5 ns a row into 100 groups, 7.4 into a million
    constexpr double indexed = 10;  // the same of a domain: 1.0 and 4.5 ns
    constexpr double string = 100;  // 6e6 rows into 20 to 90,000 groups: 8 to 33 ns
    const auto& params = n.as<detail::group_params>();
    return params.strings ? string : params.domain >= 0 ? indexed : hashed;
  }
  /// A reducer and the record made of it.
  graph::domain_table domain_of(const graph::node& n) const override {
    const auto& params = n.as<detail::group_params>();
    return {params.domain, static_cast<double>(params.state_bytes + n.out.size)};
  }
  bool takes_windows(const graph::node&) const override { return true; }
  bool reads_block_by_block(const graph::node&) const override { return true; }
  /// Keys that are strings are copied, and so are values that rest with them. Others rest as they
  /// are.
  bool keeps_text(const graph::node& n) const override {
    const auto& params = n.as<detail::group_params>();
    return params.states_may_point || (params.values_may_point && can_rest(n) && !params.strings);
  }
  bool yields_windows(const graph::node& n) const override { return can_rest(n); }
  bool passes_windows_on(const graph::node& n) const override { return can_rest(n); }
  graph::kept_in_loop kept(const graph::node& n, double rows_in) const override {
    const auto& params = n.as<detail::group_params>();
    if (params.routing.add == nullptr || algorithms::group_has_leaf_tables(params)) return {};
    const double leaves =
        std::ceil(rows_in / static_cast<double>(algorithms::group_leaf_rows(params)));
    const double bytes = rows_in * sizeof(detail::row_pair) +
                         leaves * static_cast<double>(params.domain) * sizeof(std::uint32_t);
    return {"pairs and their groups while they stay the same", bytes, true};
  }
};

}  // namespace
}  // namespace pappus::ops

namespace pappus::detail {

const graph::operator_entry& group_operator() {
  static const ops::group_entry entry;
  return entry;
}

}  // namespace pappus::detail
