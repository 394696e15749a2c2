// Writing files of Arrow's IPC format: batches that are encoded side by side.
#pragma once

#include <memory>
#include <vector>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

std::unique_ptr<arrow_file_writer> create_ipc_file(arrow_sink& sink,
                                                   const std::vector<arrow_column>& columns,
                                                   detail::memory_source& memory);

}  // namespace pappus::formats
