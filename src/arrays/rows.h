// A collection over an array: a node that waits for the launches that write its elements, which are
// its rows as they lie.
#pragma once

#include <cstdint>
#include <functional>

#include "arrays/image.h"
#include "graph/operator_entry.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/request.h"

namespace pappus::arrays {

/// The elements of a box, row after row, which stay in memory as long as somebody has the rows.
/// Throws memory_error and spill_error.
detail::rows_ptr rows_in(const image& array, const storage_ptr& elements,
                         const regions::box& where);

struct rows_params : detail::op_params {
  std::int64_t rows = 0;
  std::function<detail::rows_ptr()> get;  ///< blocks
};

const graph::operator_entry& rows_operator();

}  // namespace pappus::arrays
