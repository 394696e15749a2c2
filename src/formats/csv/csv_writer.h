// Writes records as CSV: a header of the bound names, then one line a record.
//
// Workers turn runs of rows into text, each in a buffer of its own; the lengths then give every
// buffer its place in the file, and the buffers are written in parallel. The bytes of the file
// don't depend on the number of workers.
//
// A compressed file has a gzip member, or a zstd frame, for each run of rows: so workers compress
// them side by side. Where these are cut depends on the number of workers and on memory; the text
// in them doesn't.
//
// Floats take the shortest text that reads back as the same bits (nan loses its sign and payload).
// Text is quoted only where needed: also where it would be taken for what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/codecs/codec.h"
#include "formats/csv/csv_options.h"
#include "formats/format.h"
#include "formats/output_file.h"

namespace pappus::formats {

class csv_writer final : public writer {
 public:
  /// Creates the file with its header. `memory` must outlive the writer. Throws format_error,
  /// usage_error for fields without a name or with several values.
  csv_writer(const std::string& path, const detail::record_layout& layout,
             detail::memory_source& memory, const csv_options& options = {},
             codec_pointer compressed_by = nullptr);

  void append(detail::workers& team, const std::byte* records, std::int64_t n) override;
  void close() override;

 private:
  /// Text that grows in charged memory.
  struct text_buffer {
    detail::buffer memory;
    std::size_t used = 0;
  };

  void write_header();
  void write_whole(std::string_view text);
  void pack(text_buffer& text, text_buffer& packed) const;
  void format_rows(const std::byte* records, std::int64_t rows, text_buffer& text) const;
  std::int64_t rows_at_once(const std::byte* records, std::int64_t n, std::size_t items) const;
  std::size_t text_bytes_max(const std::byte* record) const noexcept;
  char* format_row(const std::byte* record, char* at) const;
  char* format_value(const detail::column_binding& column, const std::byte* value, char* at) const;
  bool begins_file(std::string_view text) const;
  bool is_quoted(const detail::column_binding& column, std::string_view text) const;

  output_file file_;
  detail::record_layout layout_;
  detail::memory_source& memory_;
  char delimiter_;
  csv_dialect dialect_;
  std::size_t value_bytes_max_;
  std::string missing_;              // what is written for it
  std::vector<std::string> quoted_;  // texts that would be read as missing
  char comment_;
  std::int64_t offset_ = 0;
  std::vector<text_buffer> buffers_;
  const codec_pointer codec_;  // null: text is written as it is
  std::vector<text_buffer> packed_;
};

}  // namespace pappus::formats
