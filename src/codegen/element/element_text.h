// The text of an element function's device version, from its description.
#pragma once

#include <string>

#include "codegen/element/element.h"
#include "codegen/element/element_writer.h"
#include "graph/operator_entry.h"

namespace pappus::codegen {

/// \param many  a row may yield any number of records, as in flat_map.
void write_element(const element_writer& from, graph::element_use what, bool many, element& to);

}  // namespace pappus::codegen
