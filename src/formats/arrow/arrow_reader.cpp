#include "formats/arrow/arrow_reader.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "formats/arrow/arrow_lists.h"
#include "formats/codecs/decompressor.h"
#include "formats/named_layout.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

/// Rows of a column that are decoded at a time: fewer where memory is short.
std::int64_t rows_at_once_in(const detail::memory_source& memory, std::size_t record_bytes) {
  return static_cast<std::int64_t>(
      base::scaled_clamp(memory.available() / 64 / std::max<std::size_t>(record_bytes, 1),
                         std::size_t{2} << 10, std::size_t{32} << 10));
}

/// Records that all of their columns are put into before others: they stay in the L1 cache.
std::int64_t rows_filled_at_once(std::size_t record_bytes) {
  constexpr std::size_t cache_bytes = std::size_t{16} << 10;
  return static_cast<std::int64_t>(
      std::clamp<std::size_t>(cache_bytes / std::max<std::size_t>(record_bytes, 1), 16, 1024));
}

/// Calls f(size), with a constant for what lies between fields.
template <typename F>
void with_size(std::size_t size, const F& f) {
  switch (size) {
    case 1:
      return f(std::integral_constant<std::size_t, 1>());
    case 2:
      return f(std::integral_constant<std::size_t, 2>());
    case 3:
      return f(std::integral_constant<std::size_t, 3>());
    case 4:
      return f(std::integral_constant<std::size_t, 4>());
    case 7:
      return f(std::integral_constant<std::size_t, 7>());
    default:
      return f(size);
  }
}

template <typename F>
auto telling(const std::string& file, F&& f) {
  try {
    return f();
  } catch (const arrow_problem& problem) {
    throw format_error(fmt::format("{}: can't be read: {}", file, problem.what()));
  }
}

/// Whether a field is a view of what the rows keep alive.
bool points_to_bytes(detail::cell type) {
  return type == detail::cell::string || type == detail::cell::list;
}

bool same_texts(const arrow_piece& a, const arrow_piece& b) {
  if (&a == &b) return true;
  if (a.rows != b.rows || a.nulls != 0 || b.nulls != 0 || a.fixed_text || b.fixed_text ||
      a.width != 4 || b.width != 4)
    return false;
  const auto* const in_a = static_cast<const std::int32_t*>(a.values) + a.first;
  const auto* const in_b = static_cast<const std::int32_t*>(b.values) + b.first;
  const auto places = static_cast<std::size_t>(a.rows + 1) * sizeof(std::int32_t);
  const auto text = static_cast<std::size_t>(in_a[a.rows] - in_a[0]);
  return std::memcmp(in_a, in_b, places) == 0 &&
         (text == 0 || std::memcmp(a.text + in_a[0], b.text + in_b[0], text) == 0);
}

}  // namespace

arrow_reader::arrow_reader(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                           detail::memory_source& memory, const char* group_name,
                           const open_columns& open)
    : source_(std::move(source)),
      memory_(memory),
      group_name_(group_name),
      rows_at_once_(rows_at_once_in(memory, layout.bytes)),
      file_(telling(source_->name(), [&] { return open(*source_, rows_at_once_); })),
      record_bytes_(layout.bytes),
      missing_(layout) {
  auto bound =
      bind_arrow_columns(source_->name(), file_->columns(), named_columns(source_->name(), layout));
  std::erase_if(bound, [](const arrow_binding& one) { return !one.field.wanted; });
  bindings_ = std::make_shared<const std::vector<arrow_binding>>(std::move(bound));
  bound_ = *bindings_;
  dictionaries_ = std::vector<shared_dictionary>(bound_.size());
  for (std::size_t i = 0; i < file_->groups().size(); ++i) {
    const auto rows = file_->groups()[i].rows;
    if (rows < 0 || rows > std::numeric_limits<std::int64_t>::max() - rows_)
      throw format_error(fmt::format("{}: {} {}: expected a number of rows, got {}",
                                     source_->name(), group_name_, i + 1, rows));
    rows_ += rows;
  }
  sections_ = telling(source_->name(), [&] { return sections_of(*file_, bound_, layout.rows); });
  section_begin_.push_back(0);
  for (const auto& one : sections_) section_begin_.push_back(section_begin_.back() + one.rows);
  if (!layout.rows.empty()) not_read_.all_groups = std::ssize(file_->groups());
  find_gaps();
  plan_memory(memory);
}

void arrow_reader::plan_memory(const detail::memory_source& memory) {
  std::int64_t text = 0;
  for (const auto& group : file_->groups()) {
    std::int64_t bytes = 0;
    for (const auto& one : bound_) {
      bytes += group.held_bytes[one.column];
      if (points_to_bytes(one.field.type)) text += group.bytes[one.column];
    }
    group_bytes_ = std::max(group_bytes_, static_cast<std::size_t>(bytes));
  }
  if (rows_ > 0) row_text_ = static_cast<double>(text) / static_cast<double>(rows_);
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  groups_max_ =
      std::clamp<std::size_t>(memory.available() / 8 / std::max<std::size_t>(group_bytes_, 1), 1,
                              std::min(most, std::max<std::size_t>(file_->groups().size(), 1)));
}

void arrow_reader::find_gaps() {
  std::vector<std::pair<std::size_t, std::size_t>> filled;
  for (const auto& one : bound_) {
    filled.emplace_back(one.field.offset, detail::cell_bytes(one.field.type));
    if (one.field.presence != 0) filled.emplace_back(one.field.presence, 1);
  }
  std::ranges::sort(filled);
  filled.emplace_back(record_bytes_, 0);
  std::size_t end = 0;
  for (const auto& [offset, bytes] : filled) {
    if (offset > end) gaps_.emplace_back(end, offset - end);
    end = std::max(end, offset + bytes);
  }
}

void arrow_reader::clear_gaps(std::byte* records, std::int64_t n) const {
  for (const auto& [offset, bytes] : gaps_)
    with_size(bytes, [&, offset = offset](auto size) {
      std::byte* at = records + offset;
      for (std::int64_t i = 0; i < n; ++i, at += record_bytes_) std::memset(at, 0, size);
    });
}

void arrow_reader::rewind() {
  next_row_ = 0;
  next_section_ = 0;
  open_section_.reset();
  missing_.take();
  take_strings();
}

std::shared_ptr<void> arrow_reader::take_strings() noexcept {
  ++generation_;
  return std::exchange(strings_, nullptr);
}

/// So many of `rows` that their text is about what may still be kept.
std::int64_t arrow_reader::rows_for_text(std::int64_t rows) const {
  if (string_bytes_max_ == SIZE_MAX || row_text_ == 0) return rows;
  const auto left =
      static_cast<double>(string_bytes_max_ - std::min(string_bytes_max_, string_bytes()));
  return std::min(
      rows, std::max(rows_at_once_, static_cast<std::int64_t>(std::min(left / row_text_, 1e15))));
}

/// What is read next: the rest of a group and others, as many as memory is for.
std::vector<arrow_reader::part> arrow_reader::next_parts(std::byte* out, std::int64_t capacity,
                                                         unsigned workers) {
  const auto groups = groups_max_ < workers ? groups_max_ : SIZE_MAX;
  auto left = rows_for_text(std::min(capacity, rows_ - next_row_));
  std::vector<part> parts;
  while (left > 0 && parts.size() < groups) {
    const auto end = section_begin_[next_section_ + 1];
    const auto rows = std::min(left, end - next_row_);
    if (out != nullptr || !sections_[next_section_].left_out) {
      if (!open_section_) open_section_ = std::make_shared<std::vector<open_column>>(bound_.size());
      parts.push_back({next_section_, next_row_, rows, out, open_section_});
      if (out == nullptr) parts.back().decoded.resize(bound_.size());
    }
    if (out != nullptr) out += static_cast<std::size_t>(rows) * record_bytes_;
    next_row_ += rows;
    left -= rows;
    if (next_row_ == end) {
      open_section_.reset();
      ++next_section_;
    }
  }
  return parts;
}

/// Columns that a worker reads together: all of them, where there are groups for all workers.
std::vector<std::vector<std::size_t>> arrow_reader::sets_of_columns(std::size_t parts,
                                                                    unsigned workers) const {
  const std::size_t wanted = workers == 1 ? 1 : (2 * workers + parts - 1) / parts;
  const auto count = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(bound_.size(), 1));
  std::vector<std::pair<std::int64_t, std::size_t>> largest_first;
  for (std::size_t i = 0; i < bound_.size(); ++i) {
    std::int64_t bytes = 1;
    for (const auto& group : file_->groups()) bytes += group.bytes[bound_[i].column];
    largest_first.emplace_back(-bytes, i);
  }
  std::ranges::sort(largest_first);
  std::vector<std::vector<std::size_t>> sets(count);
  std::vector<std::int64_t> taken(count, 0);
  for (const auto& [bytes, i] : largest_first) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(taken) - taken.begin());
    sets[least].push_back(i);
    taken[least] -= bytes;
  }
  return sets;
}

std::int64_t arrow_reader::read(detail::workers& team, std::byte* out, std::int64_t capacity) {
  return read_parts(team, out, capacity, nullptr);
}

reader::columns arrow_reader::read_columns(detail::workers& team, std::int64_t capacity) {
  const auto decoded = std::make_shared<arrow_columns>(bindings_, record_bytes_);
  const auto rows = read_parts(team, nullptr, capacity, decoded.get());
  return {decoded, rows};
}

/// \param decoded  what gets the columns where `out` is null
std::int64_t arrow_reader::read_parts(detail::workers& team, std::byte* out, std::int64_t capacity,
                                      arrow_columns* decoded) {
  const auto first_row = next_row_;
  std::int64_t done = 0;
  while (done < capacity && next_row_ < rows_) {
    if (done > 0 && string_bytes() >= string_bytes_max_) break;
    if (!strings_) strings_ = std::make_shared<kept_text>();
    const auto before = next_row_;
    auto* const to =
        out == nullptr ? nullptr : out + static_cast<std::size_t>(done) * record_bytes_;
    auto parts = next_parts(to, capacity - done, team.count());
    const auto sets = sets_of_columns(std::max<std::size_t>(parts.size(), 1), team.count());
    std::vector<std::optional<problem>> problems(parts.size() * sets.size());
    detail::parallel_chunks(team, problems.size(), [&](std::size_t item, unsigned) {
      const auto set = item % sets.size();
      problems[item] = fill(parts[item / sets.size()], sets[set], set == 0, team);
    });
    const problem* first = nullptr;
    for (const auto& one : problems)
      if (one && (first == nullptr ||
                  std::pair(one->row, one->column) < std::pair(first->row, first->column)))
        first = &*one;
    if (first != nullptr) throw format_error(source_->name() + ": " + first->text);
    for (auto& part : parts)
      for (std::size_t which = 0; which < part.decoded.size(); ++which)
        for (auto& stretch : part.decoded[which]) {
          stretch.first -= first_row;
          decoded->add(which, std::move(stretch));
        }
    if (decoded != nullptr) leave_out(before, first_row, *decoded);
    done += next_row_ - before;
  }
  return done;
}

/// Of rows from `begin` to next_row_, those of sections that are passed over.
void arrow_reader::leave_out(std::int64_t begin, std::int64_t first_row, arrow_columns& of) {
  auto at = static_cast<std::size_t>(std::ranges::upper_bound(section_begin_, begin) -
                                     section_begin_.begin()) -
            1;
  for (; begin < next_row_; ++at) {
    const auto& one = sections_[at];
    const auto end = std::min(section_begin_[at + 1], next_row_);
    if (one.left_out) {
      of.leave_out(begin - first_row, end - begin);
      if (begin == section_begin_[at]) {
        not_read_.groups += one.rows == file_->groups()[one.group].rows ? 1 : 0;
        not_read_.bytes += one.bytes;
      }
    }
    begin = end;
  }
}

/// Some of the columns of a part, some rows of each in turn.
std::optional<arrow_reader::problem> arrow_reader::fill(part& rows,
                                                        std::span<const std::size_t> columns,
                                                        bool with_gaps,
                                                        const detail::workers& team) {
  std::optional<problem> first;
  const auto step = rows.out == nullptr ? rows_at_once_ : rows_filled_at_once(record_bytes_);
  for (std::int64_t begin = 0; begin < rows.rows && !first && !team.stopping(); begin += step) {
    const auto n = std::min(step, rows.rows - begin);
    auto* const records =
        rows.out == nullptr ? nullptr : rows.out + static_cast<std::size_t>(begin) * record_bytes_;
    if (with_gaps && records != nullptr) {
      clear_gaps(records, n);
      missing_.add_rows(n);
    }
    for (const auto which : columns) {
      const auto& name = bound_[which].field.name;
      std::optional<problem> found;
      try {
        fill_column(which, rows, begin, n);
        if (records != nullptr) missing_.add_column(bound_[which].field.presence, records, n);
      } catch (const arrow_cell_problem& cell) {
        found = problem{cell.row, which,
                        fmt::format("row {}, column \"{}\": {}", cell.row + 1, name, cell.text)};
      } catch (const arrow_problem& whole) {
        found = problem{rows.first_row + begin, which,
                        fmt::format("column \"{}\", {} {}: can't be read: {}", name, group_name_,
                                    sections_[rows.section].group + 1, whole.what())};
      }
      if (found && (!first || std::pair(found->row, which) < std::pair(first->row, first->column)))
        first = std::move(found);
    }
  }
  if (rows.first_row + rows.rows == section_begin_[rows.section + 1])
    for (const auto which : columns) (*rows.columns)[which] = {};
  return first;
}

/// n rows from `begin` on, of the part's.
void arrow_reader::fill_column(std::size_t which, part& rows, std::int64_t begin, std::int64_t n) {
  auto& column = (*rows.columns)[which];
  const bool text = points_to_bytes(bound_[which].field.type);
  for (std::int64_t done = 0; done < n;) {
    const auto at = begin + done;
    if (column.used == column.piece.rows) load(rows, which, column, at);
    if (text) keep_text(which, column);
    const auto some = std::min(n - done, column.piece.rows - column.used);
    try {
      if (rows.out == nullptr) {
        check(which, column, some);
        rows.decoded[which].push_back(
            {rows.first_row + at, some, column.used, column.piece, column.codes});
      } else {
        fill_arrow_cells(bound_[which], column.piece, codes_in(column.codes), column.used, some,
                         rows.out + static_cast<std::size_t>(at) * record_bytes_, record_bytes_);
      }
    } catch (arrow_cell_problem& problem) {
      problem.row += rows.first_row + at;
      throw;
    } catch (const memory_error& full) {  // the dictionary of categories is
      refuse_texts(which, full);
    }
    column.used += some;
    done += some;
  }
}

/// Whether records can be made of values that aren't needed yet. Throws arrow_cell_problem.
void arrow_reader::check(std::size_t which, const open_column& column, std::int64_t n) const {
  if (is_sure(bound_[which], column.piece)) return;
  constexpr std::int64_t at_once = 64;
  std::vector<std::byte> records(static_cast<std::size_t>(std::min(at_once, n)) * record_bytes_);
  for (std::int64_t done = 0; done < n; done += at_once) {
    try {
      fill_arrow_cells(bound_[which], column.piece, codes_in(column.codes), column.used + done,
                       std::min(at_once, n - done), records.data(), record_bytes_);
    } catch (arrow_cell_problem& problem) {
      problem.row += done;
      throw;
    }
  }
}

/// The next piece, which isn't empty, and begins with row number `at` of the part.
void arrow_reader::load(const part& rows, std::size_t which, open_column& column, std::int64_t at) {
  const auto& section = sections_[rows.section];
  if (!column.rows)
    column.rows =
        file_->rows(section.group, bound_[which].column,
                    section.first_row + rows.first_row + at - section_begin_[rows.section]);
  do {
    column.piece = {};
    column.used = 0;
    if (!column.rows->next(column.piece)) throw arrow_problem("it has fewer values than rows");
  } while (column.piece.rows == 0);
  const auto& field = bound_[which].field;
  if (field.type != detail::cell::list) {
    auto& dictionary = column.piece.dictionary;
    if (take_dictionary(which, column, dictionary, field.type))
      column.kept_in = -1;
    else
      dictionary = column.dictionary;  // whose text is kept
    return;
  }
  take_dictionary(which, column, column.piece.items->dictionary, field.item);
  column.kept_in = -1;  // the lists' bytes are new ones
  try {
    column.piece =
        packed_lists(bound_[which], column.piece, codes_in(column.codes), memory_, told(which));
  } catch (arrow_cell_problem& problem) {
    problem.row += rows.first_row + at;
    throw;
  }
}

/// False: the column has these texts already.
bool arrow_reader::take_dictionary(std::size_t which, open_column& column,
                                   const std::shared_ptr<const arrow_piece>& texts,
                                   detail::cell type) {
  if (texts && column.dictionary && same_texts(*column.dictionary, *texts)) return false;
  column.dictionary = texts;
  column.codes.reset();
  if (!texts || type != detail::cell::category) return true;
  try {
    column.codes = codes_of(which, texts);
  } catch (const memory_error& full) {
    refuse_texts(which, full);
  }
  return true;
}

std::shared_ptr<const category_codes> arrow_reader::codes_of(
    std::size_t which, const std::shared_ptr<const arrow_piece>& texts) {
  auto& shared = dictionaries_[which];
  const std::lock_guard alone(shared.looking);
  if (shared.texts != texts || !shared.codes) {
    shared.codes = std::make_shared<const category_codes>(codes_of_texts(*texts));
    shared.texts = texts;
  }
  return shared.codes;
}

/// Which column it is, for errors.
std::string arrow_reader::told(std::size_t which) const {
  return fmt::format("{}: column \"{}\"", source_->name(), bound_[which].field.name);
}

void arrow_reader::refuse_texts(std::size_t which, const memory_error& full) const {
  throw memory_error(told(which) + ": " + full.what());
}

void arrow_reader::keep_text(std::size_t which, open_column& column) {
  if (column.kept_in == generation_) return;
  column.kept_in = generation_;
  const auto& holder = column.piece.dictionary ? *column.piece.dictionary : column.piece;
  if (!holder.text_owner) return;
  if (column.piece.dictionary) {
    auto& shared = dictionaries_[which];
    const std::lock_guard alone(shared.looking);
    if (shared.texts == column.piece.dictionary && shared.kept_in == generation_) return;
    shared.texts = column.piece.dictionary;
    shared.kept_in = generation_;
  }
  const std::lock_guard alone(strings_->adding);
  strings_->owners.push_back(holder.text_owner);
  strings_->bytes += static_cast<std::size_t>(holder.text_bytes);
}

namespace {

/// \param open  arrow_library's member for files of this kind
std::unique_ptr<reader> open_columns_of(
    const std::string& path, const detail::record_layout& layout, detail::memory_source& memory,
    const char* file_name, const char* group_name,
    std::unique_ptr<arrow_file> (arrow_library::*open)(const byte_source&, detail::memory_source&,
                                                       std::int64_t) const) {
  auto source = open_file(path);
  refuse_compressed(*source, file_name);
  return std::make_unique<arrow_reader>(std::move(source), layout, memory, group_name,
                                        [&](const byte_source& from, std::int64_t rows_at_once) {
                                          return (load_arrow(path).*open)(from, memory,
                                                                          rows_at_once);
                                        });
}

}  // namespace

std::unique_ptr<reader> open_parquet(const std::string& path, const detail::record_layout& layout,
                                     detail::memory_source& memory) {
  return open_columns_of(path, layout, memory, "a Parquet file", "row group",
                         &arrow_library::open_parquet);
}

std::unique_ptr<reader> open_ipc(const std::string& path, const detail::record_layout& layout,
                                 detail::memory_source& memory) {
  return open_columns_of(path, layout, memory, "an Arrow file", "record batch",
                         &arrow_library::open_ipc);
}

}  // namespace pappus::formats
