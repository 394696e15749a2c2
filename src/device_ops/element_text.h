// The text of an element function's device version, from its description.
#pragma once

#include <string>

#include "device_ops/element.h"
#include "device_ops/element_writer.h"

namespace pappus::device_ops {

/// \param many  records come in any number.
void write_element(const element_writer& from, detail::op_kind what, bool many, element& to);

}  // namespace pappus::device_ops
