#include "formats/csv/csv_slab.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace pappus::formats {
namespace {

// Behind the text: a newline for a last row that lacks one, and room for vector loads that reach
// past it.
constexpr std::size_t slack = 64;

}  // namespace

csv_slab::csv_slab(const byte_source& source, detail::memory_source& memory, extent rows,
                   std::size_t slab_bytes, std::size_t piece_bytes)
    : source_(source),
      memory_(memory),
      extent_(rows),
      slab_bytes_(std::max<std::size_t>(slab_bytes, 1)),
      piece_bytes_(std::max<std::size_t>(piece_bytes, 1)) {
  rewind();
}

void csv_slab::rewind() noexcept {
  size_ = 0;
  complete_ = 0;
  offset_ = extent_.begin;
  line_ = extent_.first_line;
  rows_before_ = 0;
  rows_ = 0;
  pieces_.clear();
}

std::size_t csv_slab::bytes_max() const noexcept {
  const auto file_bytes = static_cast<std::size_t>(extent_.end - extent_.begin);
  return std::max(capacity_, std::min(slab_bytes_, file_bytes)) + slack;
}

std::int64_t csv_slab::line_of(std::int64_t position) const noexcept {
  const char* text = data_.as<const char>();
  return line_ + std::count(text, text + position, '\n');
}

bool csv_slab::load(detail::workers& team, const incomplete_row& incomplete) {
  drop_rows();
  for (;;) {
    if (size_ == 0 && offset_ == extent_.end) {
      data_.reset();
      capacity_ = 0;
      return false;
    }
    const auto file_left = static_cast<std::size_t>(extent_.end - offset_);
    if (capacity_ < slab_bytes_ && size_ + file_left > capacity_) grow();
    fill(team);
    const bool inside_quotes = settle_pieces();
    if (rows_ > 0) return true;
    const bool at_end = offset_ == extent_.end;
    incomplete(text(), at_end && inside_quotes);
    grow();
  }
}

void csv_slab::drop_rows() noexcept {
  if (complete_ == 0) return;
  line_ = line_of(static_cast<std::int64_t>(complete_));
  rows_before_ += rows_;
  // The newline that settle_pieces() adds to an unfinished last row is dropped with the row.
  size_ -= complete_;
  std::memmove(data_.data(), data_.data() + complete_, size_);
  complete_ = 0;
  rows_ = 0;
  pieces_.clear();
}

// Slabs begin with one piece, so that the first rows of a file cost no more, and grow to their full
// size; beyond that they double for a row that is longer.
void csv_slab::grow() {
  const auto file_left = static_cast<std::size_t>(extent_.end - offset_);
  const std::size_t usual =
      std::clamp<std::size_t>(4 * capacity_, std::min(piece_bytes_, slab_bytes_), slab_bytes_);
  const std::size_t wanted = capacity_ < slab_bytes_ ? usual : 2 * capacity_;
  const std::size_t target = std::min(wanted, size_ + file_left);
  const std::string owner =
      fmt::format("{}: row {} (line {})", source_.name(), rows_before_ + 1, line_);
  detail::buffer held;  // so that the old slab and the new one aren't there at the same time
  if (size_ > 0) {
    held = detail::buffer(memory_, size_, owner);
    std::memcpy(held.data(), data_.data(), size_);
  }
  data_.reset();
  data_ = detail::buffer(memory_, target + slack, owner);
  if (size_ > 0) std::memcpy(data_.data(), held.data(), size_);
  capacity_ = target;
}

// Reads up to the slab's capacity; each worker scans what it has just read.
void csv_slab::fill(detail::workers& team) {
  const std::size_t held = size_;
  const auto file_left = static_cast<std::size_t>(extent_.end - offset_);
  const std::size_t total = held + std::min(capacity_ - held, file_left);
  pieces_.assign(detail::ceil_div(total, piece_bytes_), piece{});
  detail::parallel_chunks(team, pieces_.size(), [&](std::size_t item, unsigned) {
    const std::size_t begin = item * piece_bytes_;
    const std::size_t end = std::min(begin + piece_bytes_, total);
    const std::size_t fresh = std::max(begin, held);
    if (fresh < end) {
      source_.read(offset_ + static_cast<std::int64_t>(fresh - held),
                   std::span(data_.data() + fresh, end - fresh));
    }
    pieces_[item].scan = scan_rows({data_.as<const char>() + begin, end - begin});
  });
  size_ = total;
  offset_ += static_cast<std::int64_t>(total - held);
}

// Fixes each piece's rows now that the quotes before it are known. Returns whether the text ends
// inside quotes.
bool csv_slab::settle_pieces() {
  bool inside = false;
  std::int64_t begin = 0;
  rows_ = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    piece& current = pieces_[i];
    current.first_row = rows_;
    current.first_begin = begin;
    current.rows = current.scan.row_ends[inside];
    rows_ += current.rows;
    if (current.rows > 0) {
      begin = static_cast<std::int64_t>(i * piece_bytes_) + current.scan.last_end[inside] + 1;
    }
    inside ^= current.scan.toggles;
  }
  if (offset_ == extent_.end && !inside && begin < static_cast<std::int64_t>(size_)) {
    data_.as<char>()[size_++] = '\n';  // the last row lacks its newline
    ++pieces_.back().rows;
    ++rows_;
    begin = static_cast<std::int64_t>(size_);
  }
  complete_ = static_cast<std::size_t>(begin);
  return inside;
}

}  // namespace pappus::formats
