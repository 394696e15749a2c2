// Groups as they come back from devices, made to lists that group_merge.h takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device_ops/operators/group_merge.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"
#include "pappus/detail/loops/group.h"

namespace pappus::device_ops {

/// Keys and states of n groups in any order.
struct found_groups {
  const std::byte *keys, *states;
  std::int64_t n;
};

/// By key. \throws memory_error, naming the owner
sorted_groups in_order(const detail::group_params& params, const found_groups& found,
                       detail::memory_source& memory, std::string_view owner);

/// Groups, of which some come in pieces, one behind the other: these are merged. O(pieces).
sorted_groups whole_groups(const detail::group_params& params, sorted_groups pieces);

/// The groups of each of so many leaves, of those of all, whose keys have 8 bytes: the leaf's
/// number before a key of 4 bytes. \throws memory_error, naming the owner
std::vector<sorted_groups> of_leaves(const detail::group_params& params, sorted_groups all,
                                     std::size_t leaves, detail::workers& team,
                                     detail::memory_source& memory, std::string_view owner);

}  // namespace pappus::device_ops
