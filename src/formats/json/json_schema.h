// The columns of JSON lines, of the types that read all of their values.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "formats/byte_source.h"
#include "formats/record_schema.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::formats {

/// Looks at the first lines, of `bytes` of text or a little more. Keys are in the order in which
/// they are met; those of objects in objects have names with dots. Throws format_error for a line
/// that isn't an object.
record_schema infer_json_schema(std::unique_ptr<byte_source> source, std::size_t bytes,
                                detail::workers& team, detail::memory_source& memory);

}  // namespace pappus::formats
