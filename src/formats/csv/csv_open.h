// A CSV file's header, and the text behind it, whether the file is compressed or not.
#pragma once

#include <memory>
#include <string>

#include "formats/byte_source.h"
#include "formats/csv/csv_header.h"
#include "formats/csv/csv_options.h"
#include "formats/format.h"
#include "formats/text_stream.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

struct opened_csv {
  std::unique_ptr<byte_source> source;
  csv_header header;
  std::unique_ptr<text_stream> text;  ///< the rows'; of a compressed file with what follows them
  text_length length;
  bool compressed = false;
};

/// The file's first text: 64 KiB, or all; of a compressed one as much, or its whole first row.
std::string first_text(const byte_source& source, const csv_options& options,
                       detail::memory_source& memory);

/// Throws format_error unless the file at a path has the bound columns, and no others, in their
/// order.
void check_same_columns(const std::string& path, const detail::record_layout& layout,
                        detail::memory_source& memory, const csv_options& options);

/// Throws what read_csv_header() does, and format_error for damage to the first bytes.
opened_csv open_csv(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                    detail::memory_source& memory, const csv_options& options);

}  // namespace pappus::formats
