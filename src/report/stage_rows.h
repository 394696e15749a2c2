// Rows and bytes of stages that have run, for explain_analyze and for pages.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu_ops/row_counts.h"
#include "pappus/detail/base/stage.h"
#include "plan/plan.h"

namespace pappus::report {

/// Rows that went into a stage.
std::int64_t rows_into(const plan::plan& p, const plan::stage& s);

/// Bytes that it moved; of a file, the file's.
double bytes_of(const plan::plan& p, const plan::stage& s);

/// An operator that changes the number of records, and the records that it yielded.
struct operator_records {
  detail::op_label op;
  std::int64_t records = 0;
  bool exact = false;
};
/// Of a stage that somebody counted.
std::vector<operator_records> records_of(const plan::stage& s, const cpu_ops::row_counts& counts);

}  // namespace pappus::report
