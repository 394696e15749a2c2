// Reads and writes NPY files (NumPy enhancement proposal 1) as records.
//
// Data of a file whose items lie as the records do go straight between file and records. The number
// of rows stands in the header, so a writer leaves room for any number there and fills it in when
// it closes. So files can grow, whoever wrote them: the number is told anew where there is room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/byte_source.h"
#include "formats/format.h"
#include "formats/npy/npy_match.h"
#include "formats/output_file.h"
#include "formats/transfer.h"

namespace pappus::formats {

class npy_reader final : public reader {
 public:
  /// Reads the header and matches it with `layout`. Throws format_error if it is malformed, doesn't
  /// match, or promises more data than the file has.
  npy_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
             detail::memory_source& memory);

  std::size_t record_bytes() const noexcept override { return match_.map.record_bytes; }
  std::optional<std::int64_t> rows() const noexcept override { return match_.rows; }
  std::int64_t count(detail::workers&) override { return match_.rows; }
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override { return source_->bytes_read(); }
  void rewind() override { next_ = 0; }
  std::size_t scratch_bytes() const noexcept override { return match_.map.scratch_bytes(); }

 private:
  std::unique_ptr<byte_source> source_;
  detail::memory_source& memory_;
  std::int64_t data_offset_ = 0;
  npy_match match_;
  std::int64_t next_ = 0;
};

class npy_writer final : public writer {
 public:
  /// \param behind  of end_of_items()
  npy_writer(const std::string& path, const detail::record_layout& layout,
             detail::memory_source& memory, const file_end* behind = nullptr);

  void append(detail::workers& team, const std::byte* records, std::int64_t n) override;
  void close() override;

 private:
  std::string header() const;

  output_file file_;
  detail::memory_source& memory_;
  npy_plan plan_;
  const bool has_header_;
  std::int64_t data_offset_;
  std::int64_t rows_ = 0;
};

/// A file of such records, whose header tells of those that are put behind when they are there: a
/// process that dies before leaves bytes behind those of the file, which nobody reads, and which
/// the next one to add to it replaces. Throws format_error for other items, for a file that is cut
/// off or can't be written, and where the header has no room; usage_error as npy_writer.
file_end end_of_items(const std::string& path, const detail::record_layout& layout);

}  // namespace pappus::formats
