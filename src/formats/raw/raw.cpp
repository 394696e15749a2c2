#include "formats/raw/raw.h"

#include <algorithm>
#include <utility>

#include "formats/codecs/decompressor.h"
#include "formats/transfer.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

std::size_t checked_bytes(const std::string& file, const detail::record_layout& layout) {
  for (const detail::column_binding& column : layout.columns) {
    if (leads_elsewhere(column.type)) {
      throw usage_error(file + ": expected fields that hold their values, got " +
                        name_of_leading(column.type) + ", which points elsewhere; use " +
                        (is_text_cell(column.type) ? "csv for text" : "jsonl for lists"));
    }
  }
  return layout.bytes;
}

}  // namespace

raw_reader::raw_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                       detail::memory_source& memory)
    : source_(std::move(source)),
      memory_(memory),
      record_bytes_(checked_bytes(source_->name(), layout)) {
  const std::int64_t bytes = source_->bytes();
  const auto record = static_cast<std::int64_t>(record_bytes_);
  refuse_compressed_raw(*source_, bytes % record == 0);
  if (bytes % record != 0) {
    throw format_error(source_->name() + ": expected a multiple of the record's " +
                       std::to_string(record) + " bytes, got " + std::to_string(bytes) +
                       " bytes; the file is cut off or holds other records");
  }
  rows_ = bytes / record;
}

std::int64_t raw_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  const std::int64_t n = std::min(capacity, rows_ - next_);
  read_records(team, memory_, *source_, next_ * static_cast<std::int64_t>(record_bytes_),
               record_map::identical(record_bytes_), out, n);
  next_ += n;
  return n;
}

raw_writer::raw_writer(const std::string& path, const detail::record_layout& layout,
                       detail::memory_source& memory, const file_end* behind)
    : file_(path, behind), memory_(memory), record_bytes_(checked_bytes(path, layout)) {}

void raw_writer::append(detail::workers& team, const std::byte* records, std::int64_t n) {
  write_records(team, memory_, file_, offset_, record_map::identical(record_bytes_), records, n);
  offset_ += n * static_cast<std::int64_t>(record_bytes_);
}

}  // namespace pappus::formats
