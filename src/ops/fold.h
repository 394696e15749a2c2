// Sizes that a reduction's entry and its versions, for the CPU and for devices, share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pappus/detail/base/stage.h"

namespace pappus::ops {

/// Rows of a leaf. Leaves are accumulated one by one; fold_tree merges them.
std::int64_t fold_leaf_rows(const detail::reduce_kernel& reducer);
/// Leaves whose states the CPU holds at a time; a huge input is folded that many leaves at a time.
inline constexpr std::int64_t fold_leaves_max = 16384;
/// Bytes from one leaf's state to the next: no two of them write to one cache line.
std::size_t fold_state_bytes(const detail::reduce_kernel& reducer);

}  // namespace pappus::ops
