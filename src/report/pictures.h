// The page's pictures, as parts of it: SVG whose style is the page's. Each has bounds, whatever
// it shows.
#pragma once

#include <string>

#include "report/facts.h"
#include "report/page.h"

namespace pappus::report {

// Beyond that the rest is only counted.
inline constexpr std::size_t drawn_stages_max = 40, drawn_tracks_max = 40, drawn_shapes_max = 6000;

/// "1,000 → 9 rows, 15 MiB, 2 of 8 threads": of a stage, after its name.
std::string facts_text(const stage_facts& s, unsigned threads);
/// "filter keeps 90 %, join yields 1.3 for each": empty where nobody counted.
std::string operators_text(const stage_facts& s);

/// The plan of a query that ran: stages as boxes, in their order, rows as arrows, times as bars.
std::string draw_query(const query_facts& q, unsigned threads);

/// Who did what when.
std::string draw_timeline(const trace::timeline::content& of);

/// Memory of the sessions' budgets, and bytes in spill files.
std::string draw_memory(const trace::timeline::content& of, double budget);

}  // namespace pappus::report
