#include "ops/registry.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/operator.h"
#include "pappus/error.h"

namespace pappus::ops {

// One line an operator.
const operator_entry& find(detail::op_kind kind) {
  using detail::op_kind;
  switch (kind) {
    case op_kind::memory:
      return memory_operator();
    case op_kind::slice:
      return slice_operator();
    case op_kind::concat:
      return concat_operator();
    case op_kind::materialise:
      return materialise_operator();
    case op_kind::fold:
      return fold_operator();
    case op_kind::deliver:
      return deliver_operator();
    case op_kind::sort:
      return sort_operator();
    case op_kind::top:
      return top_operator();
    case op_kind::scan:
      return scan_operator();
    case op_kind::file:
      return file_operator();
    case op_kind::join_build:
      return join_build_operator();
    case op_kind::loop:
      return loop_operator();
    case op_kind::partition:
      return partition_operator();
    case op_kind::apply:
      return apply_operator();
    case op_kind::placeholder:
      return placeholder_operator();
    case op_kind::group:
      return group_operator();
    case op_kind::map_groups:
      return map_groups_operator();
    case op_kind::count_:
      break;
  }
  throw usage_error(
      fmt::format("operator {} has no entry in ops/registry.cpp", static_cast<int>(kind)));
}

double input_row_bytes(const graph::node& n) {
  double bytes = 0;
  for (const auto& input : n.stage.inputs) bytes += static_cast<double>(input->out.size);
  return bytes;
}

std::int64_t stage_rows(const graph::node& n, std::span<const detail::rows_ptr> inputs) {
  std::int64_t rows = n.stage.rows;
  for (const auto& input : inputs)
    if (rows < 0 || input->rows() < rows) rows = input->rows();
  return std::max<std::int64_t>(rows, 0);
}

}  // namespace pappus::ops
