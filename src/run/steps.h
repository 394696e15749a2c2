// Runs rows of a launch that reduce into one element after another (detail/loops/launch.h): where
// a row's first element lies is computed here, once, and not at each index by the function.
#pragma once

#include <span>

#include "arrays/launch.h"
#include "pappus/detail/base/array.h"
#include "plan/plan.h"
#include "regions/box.h"

namespace pappus::run {

/// \param stage   whose `stepping` is set
/// \param places  of the arguments
void run_rows_in_steps(const arrays::launch& of, const plan::stage& stage,
                       const regions::box& indices, std::span<const detail::view_place> places);

}  // namespace pappus::run
