// The first rows of a sort, without sorting the others.
//
// Some rows are sorted at first, and the last one wanted of these is the bar: rows that come later
// are candidates if their keys are below it. Once there are as many candidates as rows wanted, both
// are sorted together, and the bar is lower. So rows in any order cost a look at their keys, and of
// n rows about 2 * limit * log2(n / limit) are sorted. Where most rows prove to be candidates, as
// where rows come in the opposite order, those that are left are sorted as a whole.
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
