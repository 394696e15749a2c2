#include "formats/csv/csv_writer.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "formats/csv/csv_header.h"
#include "formats/csv/csv_text.h"
#include "formats/named_layout.h"
#include "formats/record_fields.h"
#include "pappus/error.h"

namespace pappus::formats {

csv_writer::csv_writer(const std::string& path, const detail::record_layout& layout,
                       detail::memory_source& memory, const csv_options& options,
                       codec_pointer compressed_by, const file_end* behind)
    : text_writer(path, layout.bytes, memory, std::move(compressed_by), behind),
      layout_(named_scalars(path, layout)),
      delimiter_(options.delimiter),
      dialect_(options.dialect),
      value_bytes_max_(dialect_.value_bytes_max() + 2),
      missing_(options.missing.empty() ? "" : options.missing.front()),
      quoted_(options.missing),
      comment_(options.comment) {
  check_options(options);
  check_different_names(path, layout_);
  const auto& columns = layout_.columns;
  if (missing_.empty() && columns.size() == 1 && columns[0].presence != 0 &&
      detail::is_text_cell(columns[0].type))
    throw usage_error(path + ": column \"" + columns[0].name +
                      "\": expected a text for what is missing, as a line without text is no row; "
                      "give it as csv_options{.missing = {\"NA\"}}");
  if (options.header && (behind == nullptr || behind->bytes == 0)) write_header();
}

void csv_writer::write_header() {
  std::string header;
  for (const detail::column_binding& column : layout_.columns) {
    if (!header.empty()) header += delimiter_;
    // Readers trim names, so one that begins or ends with a space is quoted too.
    constexpr std::string_view spaces = " \t";
    const bool spaced = spaces.find(column.name.front()) != spaces.npos ||
                        spaces.find(column.name.back()) != spaces.npos;
    std::string name(2 * column.name.size() + 2, '\0');
    name.resize(
        static_cast<std::size_t>(print_text(column.name, delimiter_, name.data()) - name.data()));
    const bool quoted = spaced || (header.empty() && begins_file(name));
    header += quoted && name.front() != '"' ? '"' + name + '"' : name;
  }
  header += '\n';
  write_whole(header);
}

std::size_t csv_writer::text_bytes_max(const std::byte* record) const noexcept {
  std::size_t bytes = 0;
  for (const detail::column_binding& column : layout_.columns) {
    const bool text = detail::is_text_cell(column.type);
    if (lacks_value(column, record))
      bytes += 1 + std::max(missing_.size(), std::size_t{2});
    else
      bytes += 1 + (text ? 2 * text_of(column.type, record + column.offset).size() + 2
                         : value_bytes_max_);
  }
  return bytes;
}

char* csv_writer::format_row(const std::byte* record, char* at) const {
  for (const detail::column_binding& column : layout_.columns) {
    if (&column != layout_.columns.data()) *at++ = delimiter_;
    const std::byte* field = record + column.offset;
    const bool alone = layout_.columns.size() == 1;  // then an empty line would be no row
    if (lacks_value(column, record)) {
      at = missing_.empty() && alone ? print_quoted("", at) : std::ranges::copy(missing_, at).out;
    } else if (!detail::is_text_cell(column.type)) {
      at = format_value(column, field, at);
    } else {
      const auto text = text_of(column.type, field);
      const bool first = &column == layout_.columns.data();
      const bool quoted = text.empty() ? alone || column.presence != 0
                                       : is_quoted(column, text) || (first && begins_file(text));
      at = quoted ? print_quoted(text, at) : print_text(text, delimiter_, at);
    }
  }
  *at++ = '\n';
  return at;
}

/// In quotes, where a date has the delimiter in it, or where it would be read as missing.
char* csv_writer::format_value(const detail::column_binding& column, const std::byte* value,
                               char* at) const {
  char* const begin = at + 1;
  char* const end = dialect_.print(column.type, value, begin);
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (text.find(delimiter_) == text.npos && !is_quoted(column, text))
    return std::copy(begin, end, at);
  *at = *end = '"';
  return end + 1;
}

/// Whether a file that begins with this text would be taken to begin with something else.
bool csv_writer::begins_file(std::string_view text) const {
  return text.starts_with("\xEF\xBB\xBF") || (comment_ != 0 && text.starts_with(comment_));
}

/// Whether text would be read as missing.
bool csv_writer::is_quoted(const detail::column_binding& column, std::string_view text) const {
  return (column.presence != 0 || is_float_cell(column.type)) &&
         std::ranges::find(quoted_, text) != quoted_.end();
}

}  // namespace pappus::formats
