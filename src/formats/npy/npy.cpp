#include "formats/npy/npy.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "pappus/error.h"

namespace pappus::formats {

npy_reader::npy_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                       detail::memory_source& memory)
    : source_(std::move(source)), memory_(memory) {
  const npy_header header = read_npy_header(*source_);
  data_offset_ = header.data_offset;
  match_ = match_npy(source_->name(), header, layout);
  const std::int64_t available = source_->bytes() - data_offset_;
  const auto item = static_cast<std::int64_t>(match_.map.file_bytes);
  if (match_.rows > available / item) {
    throw format_error(source_->name() + ": truncated: expected " + std::to_string(match_.rows) +
                       " records of " + std::to_string(item) + " bytes, got " +
                       std::to_string(available) + " bytes");
  }
}

std::int64_t npy_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  const std::int64_t n = std::min(capacity, match_.rows - next_);
  const auto item = static_cast<std::int64_t>(match_.map.file_bytes);
  read_records(team, memory_, *source_, data_offset_ + next_ * item, match_.map, out, n);
  next_ += n;
  return n;
}

npy_writer::npy_writer(const std::string& path, const detail::record_layout& layout,
                       detail::memory_source& memory)
    : file_(path),
      memory_(memory),
      plan_(plan_npy(path, layout)),
      data_offset_(static_cast<std::int64_t>(header().size())) {}

std::string npy_writer::header() const {
  std::vector<std::int64_t> shape{rows_};
  shape.insert(shape.end(), plan_.extents.begin(), plan_.extents.end());
  return print_npy_header(plan_.descr, shape);
}

void npy_writer::append(detail::workers& team, const std::byte* records, std::int64_t n) {
  const auto item = static_cast<std::int64_t>(plan_.map.file_bytes);
  write_records(team, memory_, file_, data_offset_ + rows_ * item, plan_.map, records, n);
  rows_ += n;
}

void npy_writer::close() {
  const std::string text = header();
  file_.write(0, std::as_bytes(std::span(text)));
  file_.commit();
}

}  // namespace pappus::formats
