// Reading files and streams of Arrow's IPC format, a column of a batch at a time.
#pragma once

#include <memory>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

std::unique_ptr<arrow_file> open_ipc_file(const byte_source& source, detail::memory_source& memory,
                                          std::int64_t rows_at_once);

}  // namespace pappus::formats
