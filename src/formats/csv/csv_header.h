// The columns of a CSV file: their names, from the first row, matched with the fields of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/byte_source.h"
#include "formats/csv/csv_options.h"
#include "formats/csv/csv_row.h"
#include "formats/csv/csv_slab.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

struct csv_header {
  std::vector<std::string> names;
  csv_slab::extent rows;  ///< where the rows lie, without blank lines at the end of the file
};

/// Throws usage_error for a delimiter that may be part of a number, quotes and newlines; for a text
/// for what is missing that can't be a whole cell without quotes; for numbers of lines, and
/// comments, that can't be.
void check_options(const csv_options& options);

/// Reads the header, behind a UTF-8 byte order mark if there is one. Throws format_error for an
/// empty file, another encoding's mark, bad quoting, or a header of more than 16 MiB.
///
/// Without a header (options.header is false) the file's first columns get the names that `layout`
/// binds. Then an empty file has no rows, and a first row of fewer columns is a format_error.
csv_header read_csv_header(const byte_source& source, const detail::record_layout& layout,
                           const csv_options& options);

/// Where a file's first row lies, behind a byte order mark and the lines that options leave out.
struct csv_first_row {
  std::size_t begin = 0;             ///< the end of the text, where it isn't there
  std::optional<std::size_t> end{};  ///< of the newline behind it; none: it isn't there
  std::int64_t line = 1;             ///< its number
};
/// \param text  the file's, or its beginning
csv_first_row find_first_row(std::string_view text, const csv_options& options) noexcept;

/// Finds the bound columns by name. Throws format_error naming the missing column and those the
/// file has, and what named_scalars() throws.
csv_plan plan_columns(const std::string& file, const csv_header& header,
                      const detail::record_layout& bound, const csv_options& options);

}  // namespace pappus::formats
