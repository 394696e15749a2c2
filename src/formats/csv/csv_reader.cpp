#include "formats/csv/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "base/memory_scale.h"
#include "formats/bad_rows.h"
#include "formats/csv/csv_quick_rows.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

/// Of a worker's strings, in one buffer. Of little memory less: a part of each worker's last buffer
/// stays empty.
std::size_t string_buffer_bytes(const csv_options& options) {
  return base::scaled_clamp(options.slab_bytes / 8, std::size_t{16} << 10, std::size_t{1} << 20);
}

/// Where the row at `at` ends, whatever is in it, as scan_rows() has it.
const char* behind_row(const char* at, const char* end) noexcept {
  bool inside = false;
  for (; at < end; ++at) {
    if (*at == '"') inside = !inside;
    if (*at == '\n' && !inside) return at + 1;
  }
  return end;
}

}  // namespace

csv_reader::csv_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                       detail::memory_source& memory, const csv_options& options)
    : csv_reader(open_csv(std::move(source), layout, memory, options), layout, memory, options) {}

csv_reader::csv_reader(opened_csv opened, const detail::record_layout& layout,
                       detail::memory_source& memory, const csv_options& options)
    : source_(std::move(opened.source)),
      text_(std::move(opened.text)),
      length_(opened.length),
      memory_(memory),
      plan_(plan_columns(source_->name(), opened.header, deciding(layout), options)),
      slab_(*text_, memory, opened.header.rows.first_line,
            opened.compressed && plan_.columns.size() > 1, options.slab_bytes, options.piece_bytes),
      missing_(layout),
      string_buffer_bytes_(string_buffer_bytes(options)),
      bad_rows_(options.bad_rows) {}

void csv_reader::rewind() {
  slab_.rewind();
  missing_.take();
  strings_.reset();
  rows_taken_ = 0;
  next_begin_ = 0;
}

std::int64_t csv_reader::count(detail::workers& team) {
  if (bad_rows_) return count_read(*this, team, memory_);
  rewind();
  std::int64_t rows = 0;
  while (next_rows(team)) rows += slab_.rows();
  rewind();
  return rows;
}

std::int64_t csv_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  prepare_strings(team.count());
  std::int64_t done = 0;
  while (done < capacity) {
    if (rows_taken_ == slab_.rows() && !next_rows(team)) break;
    const std::int64_t rows = std::min(capacity - done, slab_.rows() - rows_taken_);
    done += parse(team, out + static_cast<std::size_t>(done) * plan_.record_bytes, rows);
    if (plan_.string_columns > 0 && string_bytes() >= string_bytes_max_) break;
  }
  return done;
}

std::shared_ptr<void> csv_reader::take_strings() noexcept {
  if (strings_)
    for (auto& one : *strings_) one.drop_caches();
  return std::exchange(strings_, nullptr);
}

std::size_t csv_reader::string_bytes() const noexcept {
  std::size_t bytes = 0;
  if (strings_)
    for (const auto& one : *strings_) bytes += one.bytes();
  return bytes;
}

// Workers have an arena each before they start, so that they share none.
void csv_reader::prepare_strings(std::size_t workers) {
  if (!strings_) strings_ = std::make_shared<std::vector<string_arena>>();
  while (strings_->size() < workers) {
    strings_->emplace_back(memory_, plan_.string_columns, string_buffer_bytes_,
                           source_->name() + ": strings");
  }
}

bool csv_reader::next_rows(detail::workers& team) {
  rows_taken_ = 0;
  next_begin_ = 0;
  counted_to_ = newlines_ = 0;
  return slab_.load(team,
                    [this](std::string_view row, bool at_end) { refuse_incomplete(row, at_end); });
}

// Parses the next `rows` rows of the slab, at least one; returns how many records they are.
std::int64_t csv_reader::parse(detail::workers& team, std::byte* out, std::int64_t rows) {
  const std::vector<csv_slab::piece>& pieces = slab_.pieces();
  const std::int64_t rows_end = rows_taken_ + rows;
  // The pieces that hold rows_taken_ and rows_end - 1; those without rows share their first_row
  // with a neighbour.
  const auto first = std::ranges::lower_bound(
      pieces, rows_taken_ + 1, {}, [](const auto& piece) { return piece.first_row + piece.rows; });
  const auto last = std::ranges::lower_bound(pieces, rows_end, {}, &csv_slab::piece::first_row);
  std::int64_t end = 0;  // written by the last piece only
  const auto items = static_cast<std::size_t>(last - first);
  std::vector<piece_result> results(bad_rows_ ? items : 0);
  detail::parallel_chunks(team, items, [&](std::size_t item, unsigned worker) {
    csv_slab::piece piece = first[static_cast<std::ptrdiff_t>(item)];
    const std::int64_t piece_end = piece.first_row + piece.rows;
    if (piece.first_row < rows_taken_) {
      piece.first_row = rows_taken_;
      piece.first_begin = next_begin_;
    }
    const auto rows_before = static_cast<std::size_t>(piece.first_row - rows_taken_);
    const auto piece_stop = std::min(piece_end, rows_end);
    auto* const result = bad_rows_ ? &results[item] : nullptr;
    if (result != nullptr) *result = {piece.first_row, piece_stop - piece.first_row, {}};
    const std::int64_t stopped =
        parse_piece(piece, piece_stop, out + rows_before * plan_.record_bytes, (*strings_)[worker],
                    result != nullptr ? &result->bad : nullptr);
    if (piece.first_row < rows_end && rows_end <= piece_end) end = stopped;
  });
  const auto records = bad_rows_ ? leave_out(results, out, rows_end) : rows;
  rows_taken_ = rows_end;
  next_begin_ = end;
  return records;
}

// Moves the records of pieces together, and tells of the rows that are none. Returns how many.
std::int64_t csv_reader::leave_out(std::vector<piece_result>& pieces, std::byte* out,
                                   std::int64_t rows_end) {
  std::int64_t records = 0;
  std::vector<detail::bad_row_source::found> all;
  for (auto& [first_row, rows, bad] : pieces) {
    const auto own = rows - std::ssize(bad);
    const auto begin = first_row - rows_taken_;
    if (records != begin)
      std::memmove(out + static_cast<std::size_t>(records) * plan_.record_bytes,
                   out + static_cast<std::size_t>(begin) * plan_.record_bytes,
                   static_cast<std::size_t>(own) * plan_.record_bytes);
    records += own;
    for (auto& [row, position, problem] : bad) {
      const char* const text = slab_.text().data();
      newlines_ += std::count(text + counted_to_, text + position, '\n');
      counted_to_ = position;
      const bool whole = problem.column == csv_problem::whole_row;
      all.push_back({slab_.rows_before() + row + 1,
                     {source_->name(), slab_.line_of(0) + newlines_,
                      whole ? "" : plan_.columns[problem.column].name, std::move(problem.text)}});
    }
  }
  bad_rows_->add(source_->name(), slab_.rows_before() + rows_end, std::move(all));
  return records;
}

// Parses the rows of a piece into `out` up to row `rows_end` of the slab; returns where that row
// begins.
// \param bad  takes rows that can't be parsed; null: they are errors
std::int64_t csv_reader::parse_piece(const csv_slab::piece& piece, std::int64_t rows_end,
                                     std::byte* out, string_arena& strings,
                                     std::vector<left_out>* bad) {
  const std::string_view text = slab_.text();
  const char* const end = text.data() + text.size();
  const char* at = text.data() + piece.first_begin;
  csv_row_parser parser(plan_, strings);
  csv_quick_rows rows(plan_, parser, strings, end);
  const auto* const first = out;
  for (std::int64_t row = piece.first_row; row < rows_end; ++row) {
    try {
      at = rows.parse(at, out, rows_end - row);
      out += plan_.record_bytes;
    } catch (csv_problem& problem) {
      const auto position = static_cast<std::int64_t>(at - text.data());
      if (bad == nullptr) fail(problem, row, position);
      bad->push_back({row, position, std::move(problem)});
      at = behind_row(at, end);
    }
  }
  missing_.add(first, (out - first) / static_cast<std::ptrdiff_t>(plan_.record_bytes));
  return at - text.data();
}

// A row that the slab doesn't hold to its end. A quote in the wrong place can make all the rest of
// the file look like one cell; that must be reported before memory runs out.
void csv_reader::refuse_incomplete(std::string_view row, bool at_end) {
  if (!at_end && (bad_rows_ || !misquoted(row, plan_.delimiter))) return;
  std::vector<std::byte> record(plan_.record_bytes);
  string_arena strings(memory_, plan_.string_columns, string_buffer_bytes_,
                       source_->name() + ": strings");
  try {
    csv_row_parser(plan_, strings).parse(row.data(), row.data() + row.size(), record.data());
  } catch (const csv_problem& problem) {
    fail(problem, 0, 0);
  }
}

void csv_reader::fail(const csv_problem& problem, std::int64_t row, std::int64_t position) const {
  std::string message = source_->name() + ": row " + std::to_string(slab_.rows_before() + row + 1) +
                        " (line " + std::to_string(slab_.line_of(position)) + ")";
  if (problem.column != csv_problem::whole_row) {
    message += ", column \"" + plan_.columns[problem.column].name + '"';
  }
  throw format_error(message + ": " + problem.text);
}

}  // namespace pappus::formats
