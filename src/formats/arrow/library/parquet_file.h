// Reading Parquet files by Arrow, a column of a row group at a time.
#pragma once

#include <memory>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

std::unique_ptr<arrow_file> open_parquet_file(const byte_source& source,
                                              detail::memory_source& memory,
                                              std::int64_t rows_at_once);

}  // namespace pappus::formats
