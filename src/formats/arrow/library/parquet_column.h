// A column of a row group of a Parquet file, whose values are decoded straight into pieces.
//
// What Arrow makes arrays of, it decodes into buffers that grow and shrink, in runs of values that
// are there. Most columns lie in memory as they are stored: for these its decoder of pages is
// enough (parquet_values.h), and missing values get their places behind it, without a branch.
#pragma once

#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/arrow_streams.h"
#include "formats/arrow/library/parquet_pages.h"

namespace pappus::formats {

/// Whether the column's times are stored in the unit that Arrow hands out.
bool has_unit(const parquet::ColumnDescriptor& column, std::int64_t unit);

/// Whether all of a column's pages have numbers of a dictionary's values in place of values.
bool all_in_dictionary(const parquet::ColumnChunkMetaData& chunk);

/// Whether numbers can be read from a page on.
bool may_begin_at_page(const parquet::ColumnDescriptor& stored, const arrow_column& column);

/// Null: its values have to become others.
/// \param leaf  the column's number in the file
/// \param tail  of numbers, what reads them from a page on
std::unique_ptr<arrow_rows> plain_parquet_column(const std::shared_ptr<charged_pool>& pool,
                                                 std::shared_ptr<parquet::RowGroupReader> group,
                                                 int leaf, const arrow_column& column,
                                                 std::int64_t rows_at_once, std::int64_t first_row,
                                                 const std::function<parquet_tail()>& tail);

/// The rows from a number on of those that `all` has from its front.
std::unique_ptr<arrow_rows> rows_behind(std::unique_ptr<arrow_rows> all, std::int64_t first_row);

}  // namespace pappus::formats
