// Writes records as CSV: a header of the bound names, then one line a record.
// How text gets into the file: text_writer.h.
//
// Floats take the shortest text that reads back as the same bits (nan loses its sign and payload).
// Text is quoted only where needed: also where it would be taken for what is missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/codecs/codec.h"
#include "formats/csv/csv_options.h"
#include "formats/text_writer.h"

namespace pappus::formats {

class csv_writer final : public text_writer {
 public:
  /// Creates the file with its header. `memory` must outlive the writer. Throws format_error,
  /// usage_error for fields without a name or with several values.
  csv_writer(const std::string& path, const detail::record_layout& layout,
             detail::memory_source& memory, const csv_options& options = {},
             codec_pointer compressed_by = nullptr, const file_end* behind = nullptr);

 private:
  void write_header();
  std::size_t text_bytes_max(const std::byte* record) const noexcept override;
  char* format_row(const std::byte* record, char* at) const override;
  char* format_value(const detail::column_binding& column, const std::byte* value, char* at) const;
  bool begins_file(std::string_view text) const;
  bool is_quoted(const detail::column_binding& column, std::string_view text) const;

  detail::record_layout layout_;
  char delimiter_;
  csv_dialect dialect_;
  std::size_t value_bytes_max_;
  std::string missing_;              // what is written for it
  std::vector<std::string> quoted_;  // texts that would be read as missing
  char comment_;
};

}  // namespace pappus::formats
