#include "formats/csv/csv_header.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "formats/csv/csv_cell.h"
#include "formats/named_layout.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t header_bytes_max = std::int64_t{16} << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string read_text(const byte_source& source, std::int64_t begin, std::int64_t end) {
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  source.read(begin, std::as_writable_bytes(std::span(text)));
  return text;
}

// The offset of the newline that ends the first row, if `text` has it.
std::optional<std::size_t> first_row_end(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') inside = !inside;
    if (text[i] == '\n' && !inside) return i;
  }
  return std::nullopt;
}

std::string unquoted(std::string_view cell) {
  std::string name;
  for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
    name += cell[i];
    if (cell[i] == '"') ++i;
  }
  return name;
}

std::vector<std::string> split(std::string_view row, char delimiter) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= row.size(); ++i) {
    if (i < row.size() && row[i] == '"') inside = !inside;
    if (i < row.size() && (row[i] != delimiter || inside)) continue;
    const std::string_view cell = row.substr(begin, i - begin);
    names.push_back(cell.starts_with('"') ? unquoted(cell) : std::string(base::trimmed(cell)));
    begin = i + 1;
  }
  return names;
}

// Where the rows end if blank lines at the end of the file are dropped.
std::int64_t end_of_rows(const byte_source& source, std::int64_t begin) {
  std::int64_t end = source.bytes();
  std::array<std::byte, 1> last{};
  const auto byte_before = [&](std::int64_t offset) {
    source.read(offset - 1, last);
    return static_cast<char>(last[0]);
  };
  while (end > begin && byte_before(end) == '\n') {
    --end;
    if (end > begin && byte_before(end) == '\r') --end;
  }
  return end;
}

// Texts of other encodings begin with the marks of their byte orders.
void refuse_encodings(const std::string& file, std::string_view text) {
  using namespace std::string_view_literals;
  const char* const found =
      text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv) ? "UTF-32"
      : text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)       ? "UTF-16"
                                                                               : nullptr;
  if (found != nullptr)
    throw format_error(
        fmt::format("{0}: expected UTF-8 text, got {1}; convert it: iconv -f {1} -t "
                    "UTF-8 {0}",
                    file, found));
}

// Whether a text that stands for what is missing is a number, too, in range or not.
template <detail::cell Type>
bool stands_for(const std::string& text) {
  std::array<std::byte, 8> ignored;
  return !text.empty() && parse_cell(Type, text, ignored.data()) != cell_outcome::malformed;
}

std::vector<std::string> bound_names(const detail::record_layout& layout) {
  std::vector<std::string> names;
  for (const detail::column_binding& binding : layout.columns) names.push_back(name_of(binding));
  return names;
}

// The names of a file whose first row has so many columns.
csv_header without_header(const byte_source& source, const detail::record_layout& layout,
                          std::size_t columns, const csv_first_row& row) {
  csv_header header{bound_names(layout), {}};
  if (columns < header.names.size())
    throw format_error(fmt::format(
        "{}: line {}: expected {} columns or more, as are bound to a file without a header, got {}",
        source.name(), row.line, header.names.size(), columns));
  while (header.names.size() < columns)
    header.names.push_back(fmt::format("column {}", header.names.size() + 1));
  const auto begin = static_cast<std::int64_t>(row.begin);
  header.rows = {begin, columns > 1 ? end_of_rows(source, begin) : source.bytes(), row.line};
  return header;
}

void check_delimiter(char delimiter) {
  const bool in_numbers = std::isalnum(static_cast<unsigned char>(delimiter)) != 0 ||
                          delimiter == '.' || delimiter == '+' || delimiter == '-';
  if (!in_numbers && delimiter != '"' && delimiter != '\n' && delimiter != '\r') return;
  throw usage_error("csv: expected a delimiter such as ',', ';', '|' or a tab, got " +
                    shown({&delimiter, 1}) + ", which cells or rows are made of");
}

void check_missing(const std::vector<std::string>& texts, char delimiter) {
  for (const auto& text : texts)
    if (text != base::trimmed(text) || text.find_first_of("\"\r\n") != text.npos ||
        text.find(delimiter) != text.npos)
      throw usage_error("csv_options::missing: expected texts such as NA, got " + shown(text) +
                        ", which can't be a cell without quotes");
}

void check_first_lines(const csv_options& options) {
  if (options.skip < 0)
    throw usage_error(
        fmt::format("csv_options::skip: expected 0 lines or more, got {}", options.skip));
  const char mark = options.comment;
  const bool in_cells = std::isalnum(static_cast<unsigned char>(mark)) != 0 || mark == '"' ||
                        mark == '\n' || mark == '\r' || mark == '+' || mark == '-' || mark == '.' ||
                        mark == options.delimiter;
  if (mark != 0 && in_cells)
    throw usage_error("csv_options::comment: expected a mark such as '#', got " +
                      shown({&mark, 1}) + ", which rows may begin with");
}

}  // namespace

void check_options(const csv_options& options) {
  check_delimiter(options.delimiter);
  check_missing(options.missing, options.delimiter);
  check_first_lines(options);
}

csv_first_row find_first_row(std::string_view text, const csv_options& options) noexcept {
  csv_first_row row;
  if (text.starts_with(byte_order_mark)) row.begin = byte_order_mark.size();
  const auto pass_line = [&] {
    const auto newline = text.find('\n', row.begin);
    row.begin = newline == text.npos ? text.size() : newline + 1;
    row.line += newline == text.npos ? 0 : 1;
  };
  for (auto left = options.skip; left > 0 && row.begin < text.size(); --left) pass_line();
  if (options.comment != 0)
    while (row.begin < text.size() && text[row.begin] == options.comment) pass_line();
  if (const auto length = first_row_end(text.substr(row.begin))) row.end = row.begin + *length;
  return row;
}

csv_header read_csv_header(const byte_source& source, const detail::record_layout& layout,
                           const csv_options& options) {
  check_options(options);
  const char delimiter = options.delimiter;
  const std::int64_t bytes = source.bytes();
  std::int64_t read_bytes = std::min<std::int64_t>(bytes, 4096);
  std::string text = read_text(source, 0, read_bytes);
  refuse_encodings(source.name(), text);
  auto first = find_first_row(text, options);
  while (!first.end && read_bytes < bytes && read_bytes < header_bytes_max) {
    read_bytes = std::min(bytes, 4 * read_bytes);
    text = read_text(source, 0, read_bytes);
    first = find_first_row(text, options);
  }
  const auto fail = [&](const std::string& expected, std::string_view got) {
    throw format_error(
        fmt::format("{}: line {}: expected {}, got {}", source.name(), first.line, expected, got));
  };
  if (!first.end && read_bytes < bytes)
    fail(options.header ? "the names of columns" : "a row",
         "a line longer than 16 MiB; is this a CSV file?");
  if (first.begin == text.size()) {
    if (!options.header) return {bound_names(layout), {bytes, bytes, first.line}};
    if (first.line > 1) fail("a header line with the names of columns", "the end of the file");
    throw format_error(source.name() +
                       ": expected a header line with the names of columns, got an empty file");
  }
  const auto end = first.end.value_or(text.size());
  std::string_view row = std::string_view(text).substr(first.begin, end - first.begin);
  const std::int64_t begin = first.end ? static_cast<std::int64_t>(end + 1) : bytes;
  if (row.ends_with('\r')) row.remove_suffix(1);
  if (misquoted(row, delimiter) || std::ranges::count(row, '"') % 2 != 0)
    fail(options.header ? "the names of columns" : "cells",
         fmt::format("a quote that opens or closes inside a {}", options.header ? "name" : "cell"));
  if (row.find('\r') != row.npos && row.find('"') == row.npos)
    throw format_error(
        fmt::format("{0}: line {1}: expected lines that end in a newline, got some that end in a "
                    "carriage return alone; convert it: tr '\\r' '\\n' < {0}",
                    source.name(), first.line));
  if (!options.header) return without_header(source, layout, split(row, delimiter).size(), first);

  csv_header header;
  header.names = split(row, delimiter);
  const auto lines = first.line + std::ranges::count(row, '\n');
  header.rows = {begin, header.names.size() > 1 ? end_of_rows(source, begin) : bytes,
                 static_cast<std::int64_t>(lines) + 1};
  return header;
}

csv_plan plan_columns(const std::string& file, const csv_header& header,
                      const detail::record_layout& bound, const csv_options& options) {
  const auto layout = named_scalars(file, bound);
  csv_plan plan;
  plan.delimiter = options.delimiter;
  plan.missing = options.missing;
  plan.dialect = options.dialect;
  const bool floats_may_lack = std::ranges::any_of(plan.missing, stands_for<detail::cell::f64>);
  const bool integers_may_lack = std::ranges::any_of(plan.missing, stands_for<detail::cell::i64>);
  plan.record_bytes = layout.bytes;
  for (const std::string& name : header.names) plan.columns.push_back({name});
  std::vector<bool> taken(header.names.size(), false);
  for (const detail::column_binding& binding : layout.columns) {
    const auto number = find_column(file, binding.name, header.names);
    csv_plan::column& column = plan.columns[number];
    if (taken[number]) {
      throw usage_error(file + ": column \"" + binding.name +
                        "\" is bound to two fields; bind it once and copy it in a map");
    }
    taken[number] = true;
    if (!binding.wanted) continue;
    column.bound = true;
    column.type = binding.type;
    column.offset = binding.offset;
    column.presence = binding.presence;
    column.is_plain = plan.dialect.is_plain(binding.type) &&
                      !(is_float_cell(binding.type) ? floats_may_lack : integers_may_lack);
    if (is_text_cell(binding.type)) column.string_column = plan.string_columns++;
  }
  return plan;
}

}  // namespace pappus::formats
