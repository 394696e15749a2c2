// What the unit without checks shows to those with them.
#pragma once

#include "access/workloads.h"

namespace pappus::testing {

workload_results unchecked_workloads(unsigned threads);
void launch_wrongly_without_checks(session& s);

}  // namespace pappus::testing
