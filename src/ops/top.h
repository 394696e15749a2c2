// Sizes that top's entry and its CPU version share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pappus/detail/loops/top.h"

namespace pappus::ops {

/// Candidates that a worker's buffer has room for, where memory is short.
inline std::int64_t top_candidates_min(const detail::top_params& params) {
  return params.limit + detail::block_rows_max;
}
/// The same where it isn't.
inline std::int64_t top_candidates_max(const detail::top_params& params) {
  return params.limit + std::max(params.limit, detail::block_rows_max);
}

}  // namespace pappus::ops
