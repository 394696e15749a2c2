// Which bytes of its inputs' records a stage reads on the CPU, as far as its description tells.
#pragma once

#include <cstddef>

#include "graph/node.h"
#include "pappus/detail/base/columns.h"

namespace pappus::codegen {

/// Pointers to members are known, as are functions that the compiler plugin saw; of others every
/// byte counts. The stage's own loops read no more than its functions.
/// \param input  number of an input in node.stage.inputs
detail::byte_ranges reads_of_stage(const graph::node& n, std::size_t input);

}  // namespace pappus::codegen
