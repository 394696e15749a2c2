// Which bytes of its inputs' records a stage reads on the CPU, and what its first filters ask of
// them, as far as its description tells.
#pragma once

#include <cstddef>

#include "graph/node.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/conditions.h"

namespace pappus::codegen {

/// Pointers to members are known, as are functions that the compiler plugin saw; of others every
/// byte counts. The stage's own loops read no more than its functions.
/// \param input  number of an input in node.stage.inputs
detail::byte_ranges reads_of_stage(const graph::node& n, std::size_t input);

/// What is true of the records of an input that pass the filters at the beginning of the stage, as
/// the compiler plugin saw it. Of others nothing is done that could be noticed.
detail::conditions conditions_of_stage(const graph::node& n, std::size_t input);

}  // namespace pappus::codegen
