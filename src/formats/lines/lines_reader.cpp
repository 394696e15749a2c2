#include "formats/lines/lines_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "levels/kernels.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::formats {
lines_reader::lines_reader(std::unique_ptr<byte_source> source, detail::memory_source& memory,
                           std::size_t slab_bytes, std::size_t piece_bytes, std::size_t slack_bytes)
    : source_(std::move(source)),
      memory_(memory),
      slab_bytes_(std::max<std::size_t>(slab_bytes, 1)),
      piece_bytes_(std::max<std::size_t>(piece_bytes, 1)),
      slack_bytes_(slack_bytes) {
  if (const auto by = compression_of(*source_); by == compression::none) {
    text_ = plain_text(*source_, 0, source_->bytes());
    length_ = {static_cast<double>(source_->bytes()), true};
  } else {
    const auto begin =
        begin_compressed(*source_, by, memory, [](std::string_view) { return true; });
    text_ = compressed_text(*source_, begin, memory, 0);
    length_ = begin.length;
  }
  rewind();
}

void lines_reader::rewind() {
  text_->rewind();
  held_.reset();
  slab_.reset();
  pieces_.clear();
  usual_bytes_ = std::min(piece_bytes_, slab_bytes_);
  size_ = complete_ = next_begin_ = 0;
  lines_before_ = lines_ = taken_ = 0;
}

std::size_t lines_reader::scratch_bytes() const noexcept {
  return 2 * std::min(slab_bytes_, text_->left()) + text_->scratch_bytes();
}

std::size_t lines_reader::string_bytes() const noexcept {
  std::size_t bytes = 0;
  if (held_)
    for (const auto& one : *held_) bytes += one->size();
  return bytes;
}

std::int64_t lines_reader::count(detail::workers& team) {
  rewind();
  while (load(team)) continue;
  const auto lines = lines_before_;
  rewind();
  return lines;
}

// Puts what is left of the slab to the front of a new one; false if there are no more lines.
bool lines_reader::load(detail::workers& team) {
  lines_before_ += lines_;
  lines_ = taken_ = 0;
  next_begin_ = 0;
  pieces_.clear();
  if (complete_ == size_ && text_->ended()) {
    slab_.reset();
    size_ = complete_ = 0;
    return false;
  }
  do {
    enlarge();
    fill(team);
    settle();
  } while (lines_ == 0);
  return true;
}

// Slabs begin with one piece, so that the first lines of a file cost no more, and grow to their
// full size. If a line goes on behind a slab, the next one has twice the size.
void lines_reader::enlarge() {
  const auto rest = size_ - complete_;
  const auto left = text_->left();
  const auto wanted = std::max(usual_bytes_, 2 * rest);
  const auto bytes = left < wanted ? std::min(wanted, rest + left) : wanted;
  if (forgotten_ && slab_ && slab_->size() == bytes + slack_bytes_) {
    std::memmove(slab_->data(), slab_->data() + complete_, rest);
  } else {
    auto next = std::make_shared<detail::buffer>(
        memory_, bytes + slack_bytes_,
        fmt::format("{}: line {}", source_->name(), lines_before_ + 1));
    if (slack_bytes_ > 0) std::memset(next->data() + bytes, 0, slack_bytes_);
    if (rest > 0) std::memcpy(next->data(), slab_->data() + complete_, rest);
    slab_ = std::move(next);
  }
  forgotten_ = false;
  size_ = rest;
  complete_ = 0;
  usual_bytes_ = std::min(4 * usual_bytes_, slab_bytes_);
}

// Each worker counts the lines of what it has just read.
void lines_reader::fill(detail::workers& team) {
  const auto held = size_;
  const auto total = held + text_->next(slab_->data() + held, slab_->size() - slack_bytes_ - held);
  pieces_.assign(detail::ceil_div(total, piece_bytes_), piece{});
  detail::parallel_chunks(team, pieces_.size(), [&](std::size_t item, unsigned) {
    const auto begin = item * piece_bytes_, end = std::min(begin + piece_bytes_, total);
    const auto fresh = std::max(begin, held);
    if (fresh < end) text_->fill(fresh - held, end - held);
    piece& own = pieces_[item];
    // It tells ends inside quotes from others, which here are all the same.
    const auto found = levels::own().scan_csv_rows(data() + begin, end - begin);
    own.lines = found.row_ends[0] + found.row_ends[1];
    own.last_end =
        begin + static_cast<std::size_t>(std::max(found.last_end[0], found.last_end[1]) + 1);
  });
  size_ = total;
}

// Fixes each piece's lines.
void lines_reader::settle() {
  std::size_t begin = 0;
  lines_ = 0;
  for (piece& one : pieces_) {
    one.first_line = lines_;
    one.first_begin = begin;
    lines_ += one.lines;
    if (one.lines > 0) begin = one.last_end;
  }
  if (begin < size_ && text_->ended()) {  // the last line lacks its end
    ++pieces_.back().lines;
    ++lines_;
    begin = size_;
  }
  complete_ = begin;
}

/// The slab lives as long as lines of it that are handed out.
void lines_reader::hold() {
  forgotten_ = false;
  if (!held_) held_ = std::make_shared<std::vector<slab>>();
  if (held_->empty() || held_->back() != slab_) held_->push_back(slab_);
}

std::int64_t lines_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  std::int64_t done = 0;
  while (done < capacity) {
    if (taken_ == lines_ && !load(team)) break;
    hold();
    const auto end = taken_ + std::min(capacity - done, lines_ - taken_);
    const auto first = std::ranges::lower_bound(
        pieces_, taken_ + 1, {}, [](const piece& one) { return one.first_line + one.lines; });
    const auto last = std::ranges::lower_bound(pieces_, end, {}, &piece::first_line);
    std::byte* const to = out + static_cast<std::size_t>(done) * record_bytes();
    std::size_t next_begin = 0;  // written by the last piece only
    detail::parallel_chunks(
        team, static_cast<std::size_t>(last - first), [&](std::size_t item, unsigned) {
          piece one = first[static_cast<std::ptrdiff_t>(item)];
          const auto piece_end = one.first_line + one.lines;
          if (one.first_line < taken_) {
            one.first_line = taken_;
            one.first_begin = next_begin_;
          }
          const auto before = static_cast<std::size_t>(one.first_line - taken_);
          const auto stopped =
              put_lines(one, std::min(piece_end, end), to + before * record_bytes());
          if (one.first_line < end && end <= piece_end) next_begin = stopped;
        });
    done += end - taken_;
    taken_ = end;
    next_begin_ = next_begin;
    if (string_bytes() >= string_bytes_max_) break;
  }
  return done;
}

// Puts the lines of a piece up to number `end` to `out`; returns where that one begins.
std::size_t lines_reader::put_lines(const piece& from, std::int64_t end, std::byte* out) const {
  const char* at = data() + from.first_begin;
  const char* const text_end = data() + size_;
  for (auto line = from.first_line; line < end; ++line) {
    const auto* stop =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(text_end - at)));
    const char* const next = stop == nullptr ? text_end : stop + 1;
    if (stop == nullptr)
      stop = text_end;
    else if (stop > at && stop[-1] == '\r')
      --stop;
    const std::string_view text(at, static_cast<std::size_t>(stop - at));
    std::memcpy(out, &text, sizeof(text));
    out += sizeof(text);
    at = next;
  }
  return static_cast<std::size_t>(at - data());
}

}  // namespace pappus::formats
