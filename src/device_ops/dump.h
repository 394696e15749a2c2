// PAPPUS_DUMP=FOLDER: every kernel's text as a file, to be read or compiled by hand.
#pragma once

#include <string_view>

#include "device_ops/device_session.h"

namespace pappus::device_ops {

/// Writes the program's text, without the device's prelude, to FOLDER/<stage>-<hash>.cl. Says so on
/// stderr, once, where that can't be done; the query goes on.
void dump(const program& what);

}  // namespace pappus::device_ops
