// What a reduction on a device shares with that on the CPU (fold.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "algorithms/rows_in.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/stage.h"

namespace pappus::ops {

/// Rows are accumulated in leaves of so many, which are merged first to last.
std::int64_t fold_leaf_rows(const detail::reduce_kernel& reducer);

/// The one record that a reduction yields.
template <typename Memory>
detail::rows_ptr finished_fold(const detail::reduce_kernel& reducer, const std::byte* total,
                               detail::record_type layout, const std::shared_ptr<Memory>& memory,
                               std::string_view who) {
  detail::block result(*memory, reducer.result.size, who);
  reducer.finish(reducer.context.get(), total, result.data());
  return rows_in(std::move(result), layout, 1, memory);
}

}  // namespace pappus::ops
