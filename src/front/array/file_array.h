// An array's file, as the engine reads it: chunk by chunk.
#pragma once

#include <memory>

#include "formats/array_file.h"
#include "graph/chunked.h"
#include "pappus/detail/base/memory.h"

namespace pappus::detail {

/// \param scratch  where memory to decode chunks in comes from
graph::chunked_ptr chunked_of(std::unique_ptr<formats::array_file> file,
                              std::shared_ptr<memory_source> scratch);

}  // namespace pappus::detail
