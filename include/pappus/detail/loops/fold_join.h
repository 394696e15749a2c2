// The loops of a reduction behind a join, whose left records may come in any order.
//
// A large index has a place in memory for each key that is nobody's neighbour: looking left records
// up as they come waits for memory, or for the processor to find the page, each time. Where the
// reducer doesn't mind in which order records come, the left ones are put into partitions first,
// as the index has its regions (algorithms/join_table.h), and each partition is then joined and
// reduced by the ordinary loop while its region is in a core's cache.
#pragma once

#include "pappus/detail/base/keep.h"
#include "pappus/detail/base/request.h"
#include "pappus/detail/fuse/behind_join.h"
#include "pappus/detail/loops/fold.h"

namespace pappus::detail {

/// Sets params.by_region if E ends in a join whose left records can be reordered.
template <typename E, typename R>
void set_fold_by_region(fold_params& params, const E& element) {
  if constexpr (is_commutative<R> && lanes_of<R>() == 1 && behind_join<E>::exists) {
    using behind = behind_join<E>;
    using join = typename behind::join;
    using rest = typename behind::type;
    region_loops& to = params.by_region;
    to.partition = [](const void* whole, const block_args& args, partition_buffers& buffers) {
      partition_left_records(behind::join_of(*static_cast<const E*>(whole)), args, buffers);
    };
    to.loop = fold_rows<rest, R>;
    to.element = keep<rest>(behind::of(element));
    to.left_bytes = sizeof(typename join::left_type);
    to.side = behind::join_of(element).side;
    to.gathers = join::gathers;
  }
}

}  // namespace pappus::detail
