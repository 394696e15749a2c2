// Runs tasks in virtual time: what explain predicts, without touching data.
#pragma once

#include "plan/plan.h"
#include "tasks/tasks.h"

namespace pappus::run {

struct prediction {
  double seconds = 0;                      ///< from start to end
  cost::trust how = cost::trust::counted;  ///< of seconds
  double peak_bytes = 0;                   ///< of results and scratch alive at the same time
  double moved_bytes = 0;                  ///< memory traffic
  bool exact = true;                       ///< false: some sizes are bounds
};

prediction dry_run(const plan::plan& p, const tasks::dag& work);

}  // namespace pappus::run
