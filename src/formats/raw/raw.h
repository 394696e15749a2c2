// Files that are nothing but records as they lie in memory: no header, the size a multiple of the
// record's.
//
// For scratch files and for data of other programs on the same kind of machine; npy says what it
// holds and is the better choice otherwise. Padding inside records is written as it is; a bool
// field is trusted to hold 0 or 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "formats/byte_source.h"
#include "formats/format.h"
#include "formats/output_file.h"

namespace pappus::formats {

class raw_reader final : public reader {
 public:
  /// Throws format_error if the record's size doesn't divide the file's, usage_error for records
  /// with string_view fields.
  raw_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
             detail::memory_source& memory);

  std::size_t record_bytes() const noexcept override { return record_bytes_; }
  std::optional<std::int64_t> rows() const noexcept override { return rows_; }
  std::int64_t count(detail::workers&) override { return rows_; }
  std::int64_t read(detail::workers& team, std::byte* out, std::int64_t capacity) override;
  std::int64_t bytes_read() const noexcept override { return source_->bytes_read(); }
  void rewind() override { next_ = 0; }
  std::size_t scratch_bytes() const noexcept override { return 0; }

 private:
  std::unique_ptr<byte_source> source_;
  detail::memory_source& memory_;
  std::size_t record_bytes_;
  std::int64_t rows_ = 0;
  std::int64_t next_ = 0;
};

class raw_writer final : public writer {
 public:
  raw_writer(const std::string& path, const detail::record_layout& layout,
             detail::memory_source& memory, const file_end* behind = nullptr);

  void append(detail::workers& team, const std::byte* records, std::int64_t n) override;
  void close() override { file_.commit(); }

 private:
  output_file file_;
  detail::memory_source& memory_;
  std::size_t record_bytes_;
  std::int64_t offset_ = 0;
};

}  // namespace pappus::formats
