// A collection over an array: a node that waits for the launches that write its elements, which are
// its rows as they lie.
#pragma once

#include <cstdint>
#include <functional>

#include "graph/operator_entry.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/request.h"

namespace pappus::arrays {

struct rows_params : detail::op_params {
  std::int64_t rows = 0;
  std::function<detail::rows_ptr()> get;  ///< blocks
};

const graph::operator_entry& rows_operator();

}  // namespace pappus::arrays
