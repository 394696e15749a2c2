// From a query that has run to what a page tells of it.
#pragma once

#include <cstdint>

#include "plan/plan.h"
#include "report/facts.h"
#include "run/executor.h"

namespace pappus::report {

/// A page keeps so many stages of a query, so many letters of a text, and so many texts of a kind
/// of a stage: whatever programs run, it stays small.
inline constexpr std::size_t stages_max = 100, letters_max = 300, texts_max = 8;

/// Equal for queries that do the same, run after run: their nodes are new each time. Of stages
/// whose functions can't be told apart, their operators and records count.
std::uint64_t shape_of(const plan::plan& p);

/// \param p    with what was found; predictions are those of the plan that a stage ran by
/// \param ran  it ran the stages, and measured.
query_facts facts_of(const plan::plan& p, const run::live_executor& ran);

/// Of a batch of launches that is to run.
launches_facts facts_of_launches(const plan::plan& p);

}  // namespace pappus::report
