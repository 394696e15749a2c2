// What Parquet files tell of their values: the least and the most of a column in a row group, by
// its statistics, and in each of its pages, by the column index.
#pragma once

#include <parquet/page_index.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <vector>

#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

/// Arrow has left out what writers were wrong about.
arrow_extent extent_of(const parquet::Statistics* statistics, const arrow_column& column);

/// Of each page of a column of which extent_of() tells something.
std::vector<arrow_extent> extents_of(const parquet::ColumnIndex& index, parquet::Type::type type,
                                     arrow_kind kind);

}  // namespace pappus::formats
