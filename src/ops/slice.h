// Which rows a slice (take, skip) takes of what it sees.
#pragma once

#include <cstdint>

#include "pappus/detail/base/request.h"

namespace pappus::ops {

/// The rows that it takes of a window whose first row is row first_row of its input.
detail::rows_ptr sliced(const detail::slice_params& params, const detail::rows_ptr& window,
                        std::int64_t first_row);
/// Rows of its input from first_row on that it has to see; INT64_MAX: all.
std::int64_t rows_wanted(const detail::slice_params& params, std::int64_t first_row);

}  // namespace pappus::ops
