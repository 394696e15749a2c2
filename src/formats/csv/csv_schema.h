// Which types the cells of a CSV file's columns have, told by looking at them.
//
// A column has the first type of a list that reads all of its cells: the one list for integers,
// dates and the rest, in which what holds fewer values comes first. Whether a cell is read is asked
// of the reader's own functions (csv_dialect.h), so that what is told here can be read afterwards.
// Two things are left as text though they'd be read as numbers: cells with leading zeros, such as
// post codes, and columns without any text.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "formats/byte_source.h"
#include "formats/csv/csv_options.h"
#include "formats/record_schema.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::formats {

/// The delimiter that cuts the first row into the most cells: a comma, semicolon, tab or '|'; a
/// comma where none does.
char guess_delimiter(const byte_source& source, const csv_options& options,
                     detail::memory_source& memory);

/// Looks at the first rows, of `bytes` of text or a little more. Without a header columns are
/// called "column 1" and so on. Throws what csv_reader does.
record_schema infer_schema(const std::function<std::unique_ptr<byte_source>()>& open,
                           const csv_options& options, std::size_t bytes, detail::workers& team,
                           detail::memory_source& memory);

}  // namespace pappus::formats
