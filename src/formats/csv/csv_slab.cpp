#include "formats/csv/csv_slab.h"
#include "pappus/detail/base/integers.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "pappus/error.h"

namespace pappus::formats {
namespace {

// Behind the text: a newline for a last row that lacks one, and room for vector loads that reach
// past it.
constexpr std::size_t slack = 64;

}  // namespace

csv_slab::csv_slab(text_stream& text, detail::memory_source& memory, std::int64_t first_line,
                   bool drops_blank_end, std::size_t slab_bytes, std::size_t piece_bytes)
    : source_(text),
      memory_(memory),
      first_line_(first_line),
      drops_blank_end_(drops_blank_end),
      slab_bytes_(std::max<std::size_t>(slab_bytes, 1)),
      piece_bytes_(std::max<std::size_t>(piece_bytes, 1)) {
  rewind();
}

void csv_slab::rewind() noexcept {
  size_ = 0;
  complete_ = 0;
  source_.rewind();
  line_ = first_line_;
  rows_before_ = 0;
  rows_ = 0;
  pieces_.clear();
}

std::size_t csv_slab::bytes_max() const noexcept {
  return std::max(capacity_, std::min(slab_bytes_, source_.left())) + slack +
         source_.scratch_bytes();
}

std::int64_t csv_slab::line_of(std::int64_t position) const noexcept {
  const char* text = data_.as<const char>();
  return line_ + std::count(text, text + position, '\n');
}

bool csv_slab::load(detail::workers& team, const incomplete_row& incomplete) {
  drop_rows();
  for (;;) {
    if (size_ == 0 && source_.ended()) {
      data_.reset();
      capacity_ = 0;
      return false;
    }
    if (capacity_ < slab_bytes_ && source_.left() > capacity_ - size_) grow();
    try {
      fill(team);
    } catch (
        const format_error&) {  // of the file: what is wrong with the row before it comes first
      if (size_ > 0) incomplete(text(), false);
      throw;
    }
    const bool inside_quotes = settle_pieces();
    if (rows_ > 0) return true;
    if (size_ == 0) continue;
    incomplete(text(), source_.ended() && inside_quotes);
    grow();
  }
}

void csv_slab::drop_rows() noexcept {
  if (complete_ == 0) return;
  // Scanning has counted all newlines.
  std::int64_t lines = 0;
  for (const piece& one : pieces_) lines += one.scan.row_ends[0] + one.scan.row_ends[1];
  line_ += lines - std::ranges::count(text().substr(complete_), '\n');
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
  const std::size_t usual =
      std::clamp<std::size_t>(4 * capacity_, std::min(piece_bytes_, slab_bytes_), slab_bytes_);
  const std::size_t wanted = capacity_ < slab_bytes_ ? usual : 2 * capacity_;
  const std::size_t left = source_.left();
  const std::size_t target = left < wanted ? std::min(wanted, size_ + left) : wanted;
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
  const std::size_t total = held + source_.next(data_.data() + held, capacity_ - held);
  pieces_.assign(detail::ceil_div(total, piece_bytes_), piece{});
  detail::parallel_chunks(team, pieces_.size(), [&](std::size_t item, unsigned) {
    const std::size_t begin = item * piece_bytes_;
    const std::size_t end = std::min(begin + piece_bytes_, total);
    const std::size_t fresh = std::max(begin, held);
    if (fresh < end) source_.fill(fresh - held, end - held);
    pieces_[item].scan = scan_rows({data_.as<const char>() + begin, end - begin});
  });
  size_ = total;
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
  complete_ = static_cast<std::size_t>(begin);
  const auto rest = text().substr(complete_);
  if (rest.empty() || (rest == "\r" && !source_.ended())) {
    if (drops_blank_end_) hold_back_blank_rows();
  } else if (!inside && source_.ended()) {
    data_.as<char>()[size_++] = '\n';  // the last row lacks its newline
    ++pieces_.back().rows;
    ++rows_;
    complete_ = size_;
  }
  return inside;
}

// Blank rows at the end of the slab may be the end of the text, where they are none. Then they are
// dropped, else they wait for what follows.
void csv_slab::hold_back_blank_rows() {
  const char* const text = data_.as<const char>();
  std::int64_t blank = 0;
  while (complete_ > 0) {
    auto at = complete_ - 1;
    if (at > 0 && text[at - 1] == '\r') --at;
    if (at > 0 && text[at - 1] != '\n') break;
    complete_ = at;
    ++blank;
  }
  if (blank == 0) return;
  rows_ -= blank;
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    const auto own = std::min(blank, piece->rows);
    piece->rows -= own;
    piece->first_row = std::min(piece->first_row, rows_);
    blank -= own;
  }
  if (source_.ended()) size_ = complete_;
}

}  // namespace pappus::formats
