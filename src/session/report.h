// The texts of explain() and explain_analyze().
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "run/dry.h"
#include "run/executor.h"
#include "tasks/tasks.h"

namespace pappus::detail {

/// \param store   of the rows that cached stages keep.
/// \param passes  show the plan after each pass, which it must have kept, not only the last.
std::string explained(const plan::plan& p, const tasks::dag& work, const run::prediction& predicted,
                      memory::store* store, bool passes);

/// \param predicted  the stages as first planned; `p` holds what was found.
/// \param ran        it ran them.
/// \param workers    the threads there are.
std::string analyzed(const std::vector<plan::stage>& predicted, const plan::plan& p,
                     const run::live_executor& ran, unsigned workers);

/// A line on what went to the spill file and came back in between; empty where nothing did.
std::string spilled_text(std::size_t spilled_bytes, std::size_t bytes_read_back);

}  // namespace pappus::detail
