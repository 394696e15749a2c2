// Sorts rows that are in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_ops/contract.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/loops/sort.h"

namespace pappus::cpu_ops {

/// The records of rows [begin, end) of the window, by their keys; 64-byte aligned. end > begin.
detail::buffer sort_rows(run_context& context, std::int64_t begin, std::int64_t end);

/// The same of `rows` > 0 records that the stage's functions have yielded before. Takes
/// `records`, and gives their memory back as soon as they lie elsewhere.
detail::buffer sort_records(run_context& context, detail::buffer records, std::int64_t rows);

}  // namespace pappus::cpu_ops
