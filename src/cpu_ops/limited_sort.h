// The first rows of a sort, without sorting the others.
//
// Rows are looked at in waves, each as long as all before. What a wave has that may be among the
// first is put behind the best so far, in row order, and sorted with them; the last of the best is
// the bar for the next wave. So rows in any order cost a look at their keys, and of n rows about
// limit * log2(n / limit) are sorted again; at worst, each better than those before it, all are.
//
// Alternatives: the typed loops of top (detail/loops/top.h), which compilers would have to make for
// each sort besides its own; a heap (a mispredicted branch for each candidate, no stable order).
#pragma once

#include <cstdint>

#include "cpu_ops/contract.h"
#include "pappus/detail/base/memory.h"

namespace pappus::cpu_ops {

/// Records in order: `rows` of them, of more that there may be room for.
struct first_records {
  detail::buffer records;
  std::int64_t rows = 0;
};

/// Of rows [begin, end) of the window the first context.limit by their keys. Neither is 0.
first_records sort_first(run_context& context, std::int64_t begin, std::int64_t end);

}  // namespace pappus::cpu_ops
