// Whether memory has room for rows that come in windows, as far as anybody knows before they do.
#pragma once

#include "graph/kept_rows.h"
#include "plan/plan.h"

namespace pappus::plan {

/// Where the windows come from that a stage takes or, not being in memory, hands on.
const stage& source_of(const plan& p, stage_index of);

/// Whether a stage that needs all rows has room for them in memory, with half of the budget left;
/// for a join's index with two thirds, because the stage that joins works beside it.
bool all_rows_fit(const plan& p, const stage& s, const request& asked);
/// Whether a stage's rows would fit in one of so many shares of the budget, about.
bool rows_fit(const plan& p, stage_index of, int shares, const request& asked);
/// Whether the rows of a file would fit in half of it, about.
bool file_fits(const stage& s, const request& asked);
/// Whether a quarter of it has room for rows that are kept.
bool kept_rows_fit(const graph::kept_rows& rows, const detail::record_type& record,
                   const request& asked);

}  // namespace pappus::plan
