#include "formats/csv/csv_quick_rows.h"

#include <algorithm>
#include <cstring>

#include "formats/csv/csv_quick_cells.h"

namespace pappus::formats {
namespace {

using detail::cell;

template <typename T>
bool put_integer(std::string_view text, std::byte* out) noexcept {
  T value;
  if (text.empty() || !quick_integer<T>(text.data(), text.size(), value)) return false;
  std::memcpy(out, &value, sizeof value);
  return true;
}

bool put_date(std::string_view text, std::byte* out) noexcept {
  std::int32_t days;
  if (text.size() != 10 || !quick_date(text.data(), days)) return false;
  std::memcpy(out, &days, sizeof days);
  return true;
}

bool put(cell type, std::string_view text, std::byte* out) noexcept {
  switch (type) {
    case cell::i8:
      return put_integer<std::int8_t>(text, out);
    case cell::i16:
      return put_integer<std::int16_t>(text, out);
    case cell::i32:
      return put_integer<std::int32_t>(text, out);
    case cell::i64:
      return put_integer<std::int64_t>(text, out);
    case cell::u8:
      return put_integer<std::uint8_t>(text, out);
    case cell::u16:
      return put_integer<std::uint16_t>(text, out);
    case cell::u32:
      return put_integer<std::uint32_t>(text, out);
    case cell::u64:
      return put_integer<std::uint64_t>(text, out);
    case cell::date:
      return put_date(text, out);
    default:
      return false;
  }
}

}  // namespace

csv_quick_rows::csv_quick_rows(const csv_plan& plan, csv_row_parser& others, string_arena& strings,
                               const char* end)
    : plan_(plan), others_(others), strings_(strings), end_(end), ends_(end, plan.delimiter) {
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    const auto& column = plan.columns[i];
    if (!column.bound) {
      ++passed_last_;
      continue;
    }
    const bool plain_date =
        column.type == cell::date && plan.dialect.has_iso_dates() && plan.missing.empty();
    steps_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(passed_last_),
                      static_cast<std::uint32_t>(column.offset),
                      static_cast<std::uint32_t>(column.presence),
                      static_cast<std::uint32_t>(column.string_column), column.type,
                      column.is_plain || plain_date});
    passed_last_ = 0;
  }
}

const char* csv_quick_rows::parse(const char* at, std::byte* record, std::int64_t left) {
  if (at != next_ && ends_.begin() != nullptr) ends_.pass_to(at);  // rows were left out
  if (record != record_) cleared_ = 0;
  next_ = nullptr;
  record_ = nullptr;  // where this one can't be parsed
  if (cleared_ == 0) clear(record, left);
  next_ = parse_any(at, record);
  record_ = record + plan_.record_bytes;
  --cleared_;
  return next_;
}

const char* csv_quick_rows::parse_any(const char* at, std::byte* record) {
  if (const char* next = parse_if_usual(at, record); next != nullptr) return next;
  if (ends_.begin() != at) {  // or it wasn't listed to its end
    ends_.list(at);
    if (const char* next = parse_if_usual(at, record); next != nullptr) return next;
  }
  at = others_.parse(at, end_, record);
  ends_.pass_to(at);
  return at;
}

/// Records' bytes of no column, and of what is missing, are zero.
void csv_quick_rows::clear(std::byte* record, std::int64_t left) {
  constexpr std::size_t bytes_at_once = 8192;
  cleared_ = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(bytes_at_once / std::max<std::size_t>(plan_.record_bytes, 1)), 1,
      left);
  std::memset(record, 0, static_cast<std::size_t>(cleared_) * plan_.record_bytes);
}

/// Null: the row is another one, or its ends aren't listed.
const char* csv_quick_rows::parse_if_usual(const char* at, std::byte* record) {
  std::size_t used = 0;
  csv_cell_text found;
  for (const auto& step : steps_) {
    if (!pass(step.passed, at, used) || !cut(at, found, used)) return nullptr;
    const bool last = step.column + 1 == plan_.columns.size();
    if (*found.end != (last ? '\n' : plan_.delimiter)) return nullptr;
    if (last && !found.quoted && found.text.ends_with('\r')) found.text.remove_suffix(1);
    at = found.end + 1;
    store(step, found, record);
  }
  if (passed_last_ > 0) {
    if (!pass(passed_last_ - 1, at, used) || !cut(at, found, used) || *found.end != '\n')
      return nullptr;
    at = found.end + 1;
  }
  ends_.pass(used);
  return at;
}

/// Passes over so many cells, each before a delimiter.
inline bool csv_quick_rows::pass(std::size_t cells, const char*& at, std::size_t& used) const {
  if (cells == 0) return true;
  if (ends_.left() < used + cells) return false;
  bool usual = true;
  for (std::size_t i = 0; i < cells; ++i) usual &= *ends_.at(used + i) == plan_.delimiter;
  used += cells;
  at = ends_.at(used - 1) + 1;
  return usual;
}

/// The cell that begins there; false for one that isn't usual, or whose end isn't listed.
inline bool csv_quick_rows::cut(const char* at, csv_cell_text& found, std::size_t& used) const {
  if (used == ends_.left()) return false;
  const char* stop = ends_.at(used++);
  found.quoted = *stop == '"';
  if (found.quoted) [[unlikely]] {
    if (stop != at++) return false;
    do {
      if (used == ends_.left()) return false;
      stop = ends_.at(used++);
    } while (*stop != '"');
    if (used == ends_.left() || ends_.at(used) != stop + 1 || stop[1] == '"') return false;
    ++used;
  }
  found.text = {at, static_cast<std::size_t>(stop - at)};
  found.end = stop + (found.quoted ? 1 : 0);
  return true;
}

[[gnu::always_inline]] inline void csv_quick_rows::store(const step& of, const csv_cell_text& found,
                                                         std::byte* record) {
  if (found.text.empty() && of.presence != 0 && !found.quoted) return;  // missing
  if (is_text_cell(of.type) && (of.presence == 0 || found.quoted || plan_.missing.empty())) {
    if (of.presence != 0) record[of.presence] = std::byte{1};
    if (found.text.empty()) return;
    if (of.type == cell::category) {
      const auto code =
          strings_.code_of_slab(of.string_column, found.text, plan_.columns[of.column].name);
      std::memcpy(record + of.offset, &code, sizeof code);
      return;
    }
    const auto kept = strings_.keep_of_slab(of.string_column, found.text);
    std::memcpy(record + of.offset, &kept, sizeof kept);
  } else if (of.plain && !found.quoted && put(of.type, found.text, record + of.offset)) {
    if (of.presence != 0) record[of.presence] = std::byte{1};
  } else {
    others_.store(of.column, found, record);
  }
}

}  // namespace pappus::formats
