// Writing Parquet files by Arrow: the columns of a row group side by side.
#pragma once

#include <memory>
#include <vector>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

std::unique_ptr<arrow_file_writer> create_parquet_file(arrow_sink& sink,
                                                       const std::vector<arrow_column>& columns,
                                                       std::int64_t page_bytes,
                                                       detail::memory_source& memory);

}  // namespace pappus::formats
