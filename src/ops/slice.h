// Which rows of its input a slice (take, skip) yields.
#pragma once

#include <cstdint>

#include "pappus/detail/base/request.h"

namespace pappus::ops {

/// The rows that it yields of a window of its input, which begins at row first_row of the input.
detail::rows_ptr sliced(const detail::slice_params& params, const detail::rows_ptr& window,
                        std::int64_t first_row);
/// Rows [first, first + count).
detail::rows_ptr part_of(const detail::rows_ptr& rows, std::int64_t first, std::int64_t count);
/// How many rows of its input it needs from first_row on; INT64_MAX: all.
std::int64_t rows_wanted(const detail::slice_params& params, std::int64_t first_row);

}  // namespace pappus::ops
