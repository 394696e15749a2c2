// The text of an element function's device version, from its description.
#pragma once

#include <string>

#include "codegen/element/element.h"
#include "codegen/element/element_writer.h"

namespace pappus::codegen {

/// \param many  records come in any number.
void write_element(const element_writer& from, detail::op_kind what, bool many, element& to);

}  // namespace pappus::codegen
