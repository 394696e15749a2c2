#include "formats/npy/npy.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "formats/file_end.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

/// Throws format_error where there are fewer rows than the header tells of.
void check_complete(const byte_source& source, const npy_header& header, const npy_match& match) {
  const std::int64_t available = source.bytes() - header.data_offset;
  const auto item = static_cast<std::int64_t>(match.map.file_bytes);
  if (match.rows > available / item)
    throw format_error(source.name() + ": truncated: expected " + std::to_string(match.rows) +
                       " records of " + std::to_string(item) + " bytes, got " +
                       std::to_string(available) + " bytes");
}

/// How `added` bytes of records stand behind those of a file. Others may add to it meanwhile: the
/// file's bytes are asked for after its header, which is written behind the records it tells of.
base::atomic_file::joint joint_of(const std::string& path, const detail::record_layout& layout,
                                  std::int64_t added) {
  const auto source = open_file(path);
  const auto header = read_npy_header(*source);
  const auto match = match_to_add(source->name(), header, layout);
  check_complete(*open_file(path), header, match);
  const auto item = static_cast<std::int64_t>(match.map.file_bytes);
  return {.at = header.data_offset + match.rows * item,
          .told_at = header.shape_offset,
          .told = npy_header_end(*source, header, match.rows + added / item)};
}

}  // namespace

npy_reader::npy_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                       detail::memory_source& memory)
    : source_(std::move(source)), memory_(memory) {
  const npy_header header = read_npy_header(*source_);
  data_offset_ = header.data_offset;
  match_ = match_npy(source_->name(), header, layout);
  check_complete(*source_, header, match_);
}

std::int64_t npy_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  const std::int64_t n = std::min(capacity, match_.rows - next_);
  const auto item = static_cast<std::int64_t>(match_.map.file_bytes);
  read_records(team, memory_, *source_, data_offset_ + next_ * item, match_.map, out, n);
  next_ += n;
  return n;
}

npy_writer::npy_writer(const std::string& path, const detail::record_layout& layout,
                       detail::memory_source& memory, const file_end* behind)
    : file_(path, behind),
      memory_(memory),
      plan_(plan_npy(path, layout)),
      has_header_(behind == nullptr || !behind->there),
      data_offset_(has_header_ ? static_cast<std::int64_t>(header().size()) : 0) {}

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
  const std::string text = has_header_ ? header() : "";
  file_.write(0, std::as_bytes(std::span(text)));
  file_.commit();
}

file_end end_of_items(const std::string& path, const detail::record_layout& layout) {
  file_end end;
  plan_npy(path, layout);  // what can't be written is refused first
  const auto source = open_to_append(path);
  if (!source) return end;
  end.there = true;
  end.bytes = source->bytes();
  joint_of(path, layout, 0);
  end.how = [path, layout](const base::atomic_file::growing& file) {
    return joint_of(path, layout, file.added);
  };
  return end;
}

}  // namespace pappus::formats
