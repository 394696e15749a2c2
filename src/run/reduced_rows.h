// Runs indices of a launch whose states stay in registers (detail/loops/reduced_rows.h): where the
// elements of rows lie is computed here, once, and not at each index by the function.
#pragma once

#include <span>

#include "arrays/launch.h"
#include "pappus/detail/base/array.h"
#include "plan/plan.h"
#include "regions/box.h"

namespace pappus::run {

/// \param stage   whose `in_registers` is set
/// \param places  of the arguments
void run_in_registers(const arrays::launch& of, const plan::stage& stage,
                      const regions::box& indices, std::span<const detail::view_place> places);

}  // namespace pappus::run
