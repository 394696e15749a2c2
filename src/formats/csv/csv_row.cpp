#include "formats/csv/csv_row.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>

#include "base/text.h"
#include "formats/csv/csv_cell.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace pappus::formats {
namespace {

using detail::cell;

// The first delimiter, newline or quote; there is one before the row's end.
const char* find_special(const char* at, char delimiter) noexcept {
#if defined(__SSE2__)
  const __m128i delimiters = _mm_set1_epi8(delimiter);
  const __m128i newlines = _mm_set1_epi8('\n');
  const __m128i quotes = _mm_set1_epi8('"');
  for (;; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters), _mm_cmpeq_epi8(bytes, newlines)),
        _mm_cmpeq_epi8(bytes, quotes));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    if (mask != 0) return at + std::countr_zero(mask);
  }
#else
  while (*at != delimiter && *at != '\n' && *at != '"') ++at;
  return at;
#endif
}

template <typename T>
const char* number_at(const char* at, const char* end, std::byte* out) noexcept {
  T value = 0;
  const auto [stop, code] = std::from_chars(at, end, value);
  if (code != std::errc{}) return nullptr;
  std::memcpy(out, &value, sizeof(T));
  return stop;
}

// Parses a plain number; nullptr if the text at `at` doesn't begin with one.
const char* plain_number(cell type, const char* at, const char* end, std::byte* out) noexcept {
  switch (type) {
    case cell::i8:
      return number_at<std::int8_t>(at, end, out);
    case cell::i16:
      return number_at<std::int16_t>(at, end, out);
    case cell::i32:
      return number_at<std::int32_t>(at, end, out);
    case cell::i64:
      return number_at<std::int64_t>(at, end, out);
    case cell::u8:
      return number_at<std::uint8_t>(at, end, out);
    case cell::u16:
      return number_at<std::uint16_t>(at, end, out);
    case cell::u32:
      return number_at<std::uint32_t>(at, end, out);
    case cell::u64:
      return number_at<std::uint64_t>(at, end, out);
    case cell::f32:
      return number_at<float>(at, end, out);
    case cell::f64:
      return number_at<double>(at, end, out);
    default:
      return nullptr;
  }
}

/// Texts that many programs write where a value is missing.
bool looks_missing(std::string_view text) {
  constexpr std::string_view known[] = {"NA", "N/A",  "n/a",  "NaN", "nan",  "NULL", "null",
                                        "-",  "None", "none", "\\N", "#N/A", "<NA>", "missing"};
  return std::ranges::find(known, text) != std::end(known);
}

std::string bad_cell(cell type, const csv_dialect& dialect, std::string_view text,
                     cell_outcome outcome) {
  std::string what = "expected " + dialect.expected(type) + ", got ";
  what += text.empty() ? "an empty cell" : shown(text);
  if (text.empty()) what += "; where values may be missing, make the field a std::optional";
  if (looks_missing(text))
    what +=
        "; if that stands for a missing value, make the field a std::optional and name the "
        "text in csv_options::missing";
  if (outcome == cell_outcome::out_of_range) {
    const std::string range = range_of(type);
    what += range.empty() ? " (out of range)" : " (out of range: " + range + ")";
  }
  return what;
}

}  // namespace

const char* csv_row_parser::parse(const char* at, const char* end, std::byte* record) {
  std::memset(record, 0, plan_.record_bytes);
  const std::size_t columns = plan_.columns.size();
  for (std::size_t i = 0;; ++i) {
    if (i == columns) {
      throw csv_problem{csv_problem::whole_row,
                        "expected " + std::to_string(columns) + " cells, got more"};
    }
    const csv_plan::column& column = plan_.columns[i];
    at = column.bound ? parse_bound(i, at, end, record) : cut(i, at, end).end;
    if (*at == plan_.delimiter) {
      ++at;
      continue;
    }
    if (i + 1 != columns) {
      throw csv_problem{csv_problem::whole_row, "expected " + std::to_string(columns) +
                                                    " cells, got " + std::to_string(i + 1)};
    }
    return at + (*at == '\r' ? 2 : 1);
  }
}

const char* csv_row_parser::parse_bound(std::size_t column, const char* at, const char* end,
                                        std::byte* record) {
  const csv_plan::column& about = plan_.columns[column];
  if (about.presence != 0) record[about.presence] = std::byte{1};
  const char* stop =
      about.is_plain ? plain_number(about.type, at, end, record + about.offset) : nullptr;
  if (stop != nullptr && ends_cell(stop)) return stop;

  const csv_cell_text found = cut(column, at, end);
  store(column, found, record);
  return found.end;
}

void csv_row_parser::store(std::size_t column, const csv_cell_text& found, std::byte* record) {
  const csv_plan::column& about = plan_.columns[column];
  std::byte* const out = record + about.offset;
  if (about.presence != 0) record[about.presence] = std::byte{1};
  const bool is_text = is_text_cell(about.type);
  const auto text = is_text ? found.text : base::trimmed(found.text);
  const bool lacks = plan_.lacks(text) && !(is_text && found.quoted);
  if (lacks && (!found.quoted || text.empty()) && store_missing(about, record)) return;
  if (about.type == cell::string) {
    const std::string_view kept = strings_.keep(about.string_column, found.text);
    std::memcpy(out, &kept, sizeof(kept));
    return;
  }
  if (about.type == cell::category) {
    const std::uint32_t code = strings_.code(about.string_column, found.text, about.name);
    std::memcpy(out, &code, sizeof(code));
    return;
  }
  const cell_outcome outcome = plan_.dialect.parse(about.type, found.text, out);
  if (outcome == cell_outcome::good) return;
  // In quotes a number that stands for what is missing is that number: the writer quotes it. But
  // "NA" is missing there, as programs that quote all cells write it.
  if (lacks && store_missing(about, record)) return;
  throw csv_problem{column, bad_cell(about.type, plan_.dialect, found.text, outcome)};
}

/// Stores that there is no value, if the column has a form for that.
bool csv_row_parser::store_missing(const csv_plan::column& column, std::byte* record) {
  if (column.presence == 0) {
    if (!is_float_cell(column.type)) return false;
    parse_cell(column.type, {}, record + column.offset);  // an empty one is NaN
    return true;
  }
  record[column.presence] = std::byte{0};
  std::memset(record + column.offset, 0, cell_bytes(column.type));
  return true;
}

bool csv_row_parser::ends_cell(const char* at) const noexcept {
  return *at == plan_.delimiter || *at == '\n' || (*at == '\r' && at[1] == '\n');
}

csv_cell_text csv_row_parser::cut(std::size_t column, const char* at, const char* end) {
  if (*at == '"') return cut_quoted(column, at, end);
  const char* stop = find_special(at, plan_.delimiter);
  if (*stop == '"') {
    throw csv_problem{column, "expected no quote inside an unquoted cell, got " +
                                  shown({at, static_cast<std::size_t>(stop + 1 - at)}) +
                                  "; quote the whole cell and double the quotes in it"};
  }
  if (*stop == '\n' && stop > at && stop[-1] == '\r') --stop;
  return {{at, static_cast<std::size_t>(stop - at)}, stop};
}

csv_cell_text csv_row_parser::cut_quoted(std::size_t column, const char* at, const char* end) {
  const char* const begin = ++at;
  unescaped_.clear();
  for (;;) {
    const auto* quote =
        static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
    if (quote == nullptr) {
      throw csv_problem{column, "expected a closing quote, got the end of the file after " +
                                    shown({begin, static_cast<std::size_t>(end - begin)})};
    }
    const std::string_view part{at, static_cast<std::size_t>(quote - at)};
    if (quote + 1 < end && quote[1] == '"') {
      unescaped_.append(part).push_back('"');
      at = quote + 2;
      continue;
    }
    if (quote + 1 == end || !ends_cell(quote + 1)) {
      const std::string_view before{begin, static_cast<std::size_t>(quote - begin)};
      throw csv_problem{
          column,
          "expected the end of the cell after its closing quote, got more text after " +
              shown(before) +
              (before.ends_with('\\') ? "; a backslash before a quote doesn't escape it: have what "
                                        "writes the file double quotes (Spark: escape='\"')"
                                      : "")};
    }
    if (unescaped_.empty()) return {part, quote + 1, true};
    return {unescaped_.append(part), quote + 1, true};
  }
}

bool csv_plan::lacks(std::string_view text) const noexcept {
  return text.empty() || std::ranges::find(missing, text) != missing.end();
}

bool misquoted(std::string_view row, char delimiter) noexcept {
  enum class state { cell_start, unquoted, quoted, closed, closed_return } now = state::cell_start;
  for (const char c : row) {
    switch (now) {
      case state::cell_start:
      case state::unquoted:
        if (c == '"' && now == state::unquoted) return true;
        now = c == '"' ? state::quoted : c == delimiter ? state::cell_start : state::unquoted;
        break;
      case state::quoted:
        if (c == '"') now = state::closed;
        break;
      case state::closed:
        if (c != '"' && c != delimiter && c != '\r') return true;
        now = c == '"' ? state::quoted : c == '\r' ? state::closed_return : state::cell_start;
        break;
      case state::closed_return:
        return true;
    }
  }
  return false;
}

}  // namespace pappus::formats
