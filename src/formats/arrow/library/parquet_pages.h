// Pages of a column in a row group of a Parquet file, as its page indexes tell of them, and a
// reader that begins with one of them: what lies before isn't fetched, but for the dictionary.
//
// What an index tells is taken where it is plausible: pages one behind the other, of some rows
// each, in their column's place in the file. Where it isn't there, or isn't, the column is read
// from its front.
#pragma once

#include <parquet/column_reader.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/arrow/arrow_library.h"
#include "formats/arrow/library/arrow_streams.h"

namespace pappus::formats {

/// A column in a row group.
struct parquet_chunk {
  parquet::ParquetFileReader& file;
  int group = 0, leaf = 0;
};

/// What its pages hold, front to back; nothing where that isn't told.
std::vector<arrow_page> pages_of(const parquet_chunk& chunk, const arrow_column& column);

/// A column's pages from one on.
struct parquet_tail {
  std::unique_ptr<parquet::PageReader> pages;
  std::int64_t first_row = 0;  ///< of the first one
};

/// From the page on that has a row, or the first, where that isn't told.
parquet_tail open_at(const parquet_chunk& chunk, std::int64_t row, source_file& source,
                     const parquet::ReaderProperties& properties);

}  // namespace pappus::formats
