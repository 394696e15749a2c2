#include "formats/csv/csv_dialect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include <fmt/format.h>

#include "base/text.h"
#include "formats/csv/csv_text.h"
#include "pappus/columns.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

bool is_number(cell type) noexcept { return type <= cell::f64; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

void check_mark(char mark, const char* option, char delimiter) {
  const bool in_numbers = std::isalnum(static_cast<unsigned char>(mark)) != 0 || mark == '+' ||
                          mark == '-' || mark == '"' || mark == '\n' || mark == '\r';
  if (in_numbers || mark == delimiter)
    throw usage_error(fmt::format(
        "csv_options::{}: expected a mark such as '.' or ',' that isn't the delimiter, got {}",
        option, shown({&mark, 1})));
}

}  // namespace

csv_dialect::csv_dialect(const detail::text_layout& layout, char delimiter)
    : decimal_(layout.decimal), thousands_(layout.thousands) {
  if (decimal_ != '.') check_mark(decimal_, "decimal", delimiter);
  if (thousands_ != 0) check_mark(thousands_, "thousands", delimiter);
  if (thousands_ == decimal_)
    throw usage_error(fmt::format(
        "csv_options: expected different marks for decimal and thousands, got {} for both",
        shown({&decimal_, 1})));
  for (const auto* pattern : {&layout.date, &layout.timestamp})
    if (pattern->find_first_of("\"\r\n") != pattern->npos || *pattern != base::trimmed(*pattern))
      throw usage_error(
          "csv_options: expected the form of a date in one line, without quotes, and without "
          "spaces around it, got " +
          shown(*pattern));
  if (!layout.date.empty()) date_.emplace(layout.date, "csv_options::date", false);
  if (!layout.timestamp.empty())
    timestamp_.emplace(layout.timestamp, "csv_options::timestamp", true);
}

cell_outcome csv_dialect::parse(cell type, std::string_view text, std::byte* out) const noexcept {
  if (is_number(type) && !is_plain(type)) return parse_number(type, base::trimmed(text), out);
  const bool is_date = type == cell::date && date_;
  if (!is_date && !(type == cell::timestamp && timestamp_)) return parse_cell(type, text, out);
  const auto moment = (is_date ? date_ : timestamp_)->parse(base::trimmed(text));
  if (!moment) return cell_outcome::malformed;
  if (is_date) {
    const auto day = moment->date();
    std::memcpy(out, &day, sizeof day);
  } else {
    std::memcpy(out, &*moment, sizeof *moment);
  }
  return cell_outcome::good;
}

/// Whether marks between thousands stand before three digits each, behind one to three.
bool csv_dialect::has_good_thousands(std::string_view digits) const noexcept {
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) digits.remove_prefix(1);
  for (bool first = true;; first = false) {
    const auto end = std::min(digits.find(thousands_), digits.size());
    const auto group = digits.substr(0, end);
    const bool is_whole = end == digits.size();
    if (first && is_whole) return true;  // there are no marks
    if (!std::ranges::all_of(group, is_digit) || group.empty() || group.size() > 3 ||
        (!first && group.size() != 3))
      return false;
    if (is_whole) return true;
    digits.remove_prefix(end + 1);
  }
}

cell_outcome csv_dialect::parse_number(cell type, std::string_view text,
                                       std::byte* out) const noexcept {
  std::array<char, 512> plain;
  if (text.size() > plain.size()) return cell_outcome::malformed;
  const auto whole = std::min(text.find(decimal_), std::min(text.find_first_of("eE"), text.size()));
  if (thousands_ != 0 && !has_good_thousands(text.substr(0, whole))) return cell_outcome::malformed;
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (thousands_ != 0 && text[i] == thousands_ && i < whole) continue;
    if (text[i] != decimal_ && (text[i] == '.' || text[i] == thousands_))
      return cell_outcome::malformed;
    plain[size++] = text[i] == decimal_ ? '.' : text[i];
  }
  return parse_cell(type, {plain.data(), size}, out);
}

std::string csv_dialect::expected(cell type) const {
  if (type == cell::date && date_) return fmt::format("a date as {}", date_->pattern());
  if (type == cell::timestamp && timestamp_)
    return fmt::format("a time as {}", timestamp_->pattern());
  std::string text(expected_of(type));
  if (is_float_cell(type) && decimal_ != '.')
    text += fmt::format(" with {} before its decimals", shown({&decimal_, 1}));
  return text;
}

char* csv_dialect::print(cell type, const std::byte* value, char* at) const {
  if (type == cell::date && date_) {
    date day;
    std::memcpy(&day, value, sizeof day);
    check_printable(day);
    return date_->print(timestamp::of(day), at);
  }
  if (type == cell::timestamp && timestamp_) {
    timestamp moment;
    std::memcpy(&moment, value, sizeof moment);
    check_printable(moment.date());
    return timestamp_->print(moment, at);
  }
  char* const end = print_value(type, value, at);
  if (is_float_cell(type) && decimal_ != '.') std::replace(at, end, '.', decimal_);
  return end;
}

std::size_t csv_dialect::value_bytes_max() const noexcept {
  std::size_t most = formats::value_bytes_max;
  for (const auto* pattern : {&date_, &timestamp_})
    if (*pattern) most = std::max(most, (*pattern)->bytes_max());
  return most;
}

}  // namespace pappus::formats
