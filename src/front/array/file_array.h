// An array's file, as the engine reads it: chunk by chunk.
#pragma once

#include <memory>

#include "formats/array_file.h"
#include "graph/chunked.h"
#include "pappus/detail/base/memory.h"
#include "regions/grid.h"

namespace pappus::detail {

/// The cells that its chunks are.
regions::grid chunks_of(const formats::array_shape& shape);

/// \param scratch  where memory to decode chunks in comes from
graph::chunked_ptr chunked_of(std::unique_ptr<formats::array_file> file,
                              std::shared_ptr<memory_source> scratch);

}  // namespace pappus::detail
