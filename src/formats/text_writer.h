// Writes records as text, some bytes each: what the formats of text have in common.
//
// Workers turn runs of rows into text, each in a buffer of its own; the lengths then give every
// buffer its place in the file, and the buffers are written in parallel. The bytes of the file
// don't depend on the number of workers.
//
// A compressed file has a gzip member, or a zstd frame, for each run of rows: so workers compress
// them side by side. Where these are cut depends on the number of workers and on memory; the text
// in them doesn't.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/codecs/codec.h"
#include "formats/format.h"
#include "formats/output_file.h"

namespace pappus::formats {

class text_writer : public writer {
 public:
  void append(detail::workers& team, const std::byte* records, std::int64_t n) final;
  void close() final;

 protected:
  /// Creates the file. `memory` must outlive the writer. Throws format_error.
  /// \param behind  what the text is to stand behind; null: it is a file of its own
  text_writer(const std::string& path, std::size_t record_bytes, detail::memory_source& memory,
              codec_pointer compressed_by, const file_end* behind);

  /// Adds text that isn't a record's.
  void write_whole(std::string_view text);

 private:
  /// Text that grows in charged memory.
  struct text_buffer {
    detail::buffer memory;
    std::size_t used = 0;
  };

  /// The most bytes that a record's text has. From any threads, as format_row().
  virtual std::size_t text_bytes_max(const std::byte* record) const noexcept = 0;
  /// Writes a record's text to `at`, and returns its end. Throws format_error for what the file
  /// can't take.
  virtual char* format_row(const std::byte* record, char* at) const = 0;

  void pack(text_buffer& text, text_buffer& packed) const;
  void format_rows(const std::byte* records, std::int64_t rows, text_buffer& text) const;
  std::int64_t rows_at_once(const std::byte* records, std::int64_t n, std::size_t items) const;

  output_file file_;
  const std::size_t record_bytes_;
  detail::memory_source& memory_;
  const bool whole_;  // the file is what is written, and nothing else
  std::int64_t offset_ = 0;
  std::vector<text_buffer> buffers_;
  const codec_pointer codec_;  // null: text is written as it is
  std::vector<text_buffer> packed_;
};

}  // namespace pappus::formats
