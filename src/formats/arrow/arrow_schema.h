// Which fields the columns of a Parquet file, or of Arrow's own, can become, as far as its metadata
// tell, and how many different texts its first rows have.
#pragma once

#include <string>

#include "formats/record_schema.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::formats {

/// Fields may lack values where the column has some that are missing, or may have some and nobody
/// counted them. Throws format_error.
record_schema parquet_schema(const std::string& path, detail::workers& team,
                             detail::memory_source& memory);
record_schema ipc_schema(const std::string& path, detail::workers& team,
                         detail::memory_source& memory);

}  // namespace pappus::formats
