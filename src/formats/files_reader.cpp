#include "formats/files_reader.h"

#include <algorithm>

namespace pappus::formats {

files_reader::files_reader(std::vector<opener> files, std::optional<std::int64_t> rows,
                           text_length text)
    : files_(std::move(files)), rows_(rows), text_(text) {
  open(0);
}

void files_reader::open(std::size_t file) {
  now_.reset();  // so that there are never two of them in memory
  at_ = file;
  now_ = files_[file]();
  limit_strings(string_bytes_max_);
}

void files_reader::rewind() {
  held_.reset();
  bytes_before_ = 0;
  bytes_read_.store(0, std::memory_order_relaxed);
  open(0);
}

std::int64_t files_reader::count(detail::workers& team) {
  if (rows_) return *rows_;
  std::int64_t rows = 0;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    open(file);
    rows += now_->count(team);
  }
  rewind();
  return rows;
}

void files_reader::limit_strings(std::size_t bytes) noexcept {
  string_bytes_max_ = bytes;
  const auto held = held_ ? held_->bytes : 0;
  if (now_) now_->limit_strings(bytes - std::min(bytes, held));
}

std::size_t files_reader::string_bytes() const noexcept {
  return (held_ ? held_->bytes : 0) + now_->string_bytes();
}

/// Those of the open file are kept with others.
void files_reader::keep_strings() {
  const auto bytes = now_->string_bytes();
  auto own = now_->take_strings();
  if (own == nullptr) return;
  if (!held_) held_ = std::make_shared<strings>();
  held_->of_files.push_back(std::move(own));
  held_->bytes += bytes;
}

std::int64_t files_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  std::int64_t done = 0;
  while (done < capacity) {
    limit_strings(string_bytes_max_);
    const auto wanted = capacity - done;
    const auto n = now_->read(team, out + static_cast<std::size_t>(done) * record_bytes(), wanted);
    done += n;
    bytes_read_.store(bytes_before_ + now_->bytes_read(), std::memory_order_relaxed);
    const bool enough_text = string_bytes() >= string_bytes_max_;
    keep_strings();
    if (n == wanted || (n > 0 && enough_text)) break;
    if (at_ + 1 == files_.size()) break;
    bytes_before_ += now_->bytes_read();
    open(at_ + 1);
  }
  return done;
}

}  // namespace pappus::formats
