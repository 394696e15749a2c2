// Runs rows of a launch whose elements have lanes: states of neighbouring indices' own
// (detail/loops/launch.h). A row's lanes are added up at its end, or at that of a few rows which
// have lanes of their own each: processors then go from row to row without waiting for these sums.
#pragma once

#include <span>

#include "arrays/launch.h"
#include "pappus/detail/base/array.h"
#include "plan/plan.h"
#include "regions/box.h"

namespace pappus::run {

/// \param places  of the arguments; of those that have lanes, where the sums go
/// \param checks  of the launch's accesses; null: none
void run_rows_in_lanes(const arrays::launch& of, const plan::stage& stage,
                       const regions::box& indices, std::span<const detail::view_place> places,
                       detail::access_checker* checks);

}  // namespace pappus::run
