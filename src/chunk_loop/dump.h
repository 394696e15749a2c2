// PAPPUS_DUMP=FOLDER: the text of every kernel that runs as a file, to be read or compiled by hand.
#pragma once

#include <string_view>

#include "chunk_loop/device_session.h"

namespace pappus::chunk_loop {

/// Writes the program's text, without the device's prelude, to FOLDER/<stage>-<hash>-<kernel>.cl: a
/// file a kernel, though kernels of one program have equal texts. Says so on stderr, once, where
/// that can't be done; the query goes on.
void dump(const program& what, std::string_view kernel);

}  // namespace pappus::chunk_loop
