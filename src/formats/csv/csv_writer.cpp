#include "formats/csv/csv_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/memory_scale.h"
#include "formats/csv/csv_header.h"
#include "formats/csv/csv_text.h"
#include "formats/named_layout.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::int64_t rows_per_item_max = 4096;

std::string_view text_of(const std::byte* field) noexcept {
  std::string_view text;
  std::memcpy(&text, field, sizeof(text));
  return text;
}

bool lacks(const detail::column_binding& column, const std::byte* record) noexcept {
  return column.presence != 0 && record[column.presence] == std::byte{0};
}

/// Of two columns of one name readers would find neither.
void check_names(const std::string& path, const detail::record_layout& layout) {
  std::set<std::string_view> names;
  for (const auto& column : layout.columns)
    if (!names.insert(column.name).second)
      throw usage_error(
          fmt::format("{}: expected a name for each column, got \"{}\" twice; give them with "
                      "pappus::column(\"name\", &record::field)",
                      path, column.name));
}

}  // namespace

csv_writer::csv_writer(const std::string& path, const detail::record_layout& layout,
                       detail::memory_source& memory, const csv_options& options,
                       codec_pointer compressed_by)
    : file_(path),
      layout_(named_layout(path, layout)),
      memory_(memory),
      delimiter_(options.delimiter),
      dialect_(options.dialect),
      value_bytes_max_(dialect_.value_bytes_max() + 2),
      missing_(options.missing.empty() ? "" : options.missing.front()),
      quoted_(options.missing),
      comment_(options.comment),
      codec_(std::move(compressed_by)) {
  check_options(options);
  check_names(path, layout_);
  const auto& columns = layout_.columns;
  if (missing_.empty() && columns.size() == 1 && columns[0].presence != 0 &&
      columns[0].type == detail::cell::string)
    throw usage_error(path + ": column \"" + columns[0].name +
                      "\": expected a text for what is missing, as a line without text is no row; "
                      "give it as csv_options{.missing = {\"NA\"}}");
  if (options.header) write_header();
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

void csv_writer::write_whole(std::string_view text) {
  std::vector<std::byte> packed;
  auto bytes = std::as_bytes(std::span(text));
  if (codec_) {
    packed.resize(codec_->bound(text.size()));
    packed.resize(codec_->encode(bytes, packed));
    bytes = packed;
  }
  file_.write(offset_, bytes);
  offset_ += std::ssize(bytes);
}

void csv_writer::pack(text_buffer& text, text_buffer& packed) const {
  const auto bound = codec_->bound(text.used);
  if (packed.memory.size() < bound) {
    packed.memory.reset();
    packed.memory = detail::buffer(memory_, bound, file_.name() + ": text to be written");
  }
  packed.used =
      codec_->encode({text.memory.data(), text.used}, {packed.memory.data(), packed.memory.size()});
}

void csv_writer::append(detail::workers& team, const std::byte* records, std::int64_t n) {
  const std::size_t items_max = std::size_t{4} * team.count();
  const auto rows_per_item = rows_at_once(records, n, items_max);
  while (n > 0) {
    const auto rows = std::min(n, static_cast<std::int64_t>(items_max) * rows_per_item);
    const auto items = static_cast<std::size_t>(detail::ceil_div(rows, rows_per_item));
    if (buffers_.size() < items) buffers_.resize(items);
    if (codec_ && packed_.size() < items) packed_.resize(items);
    const auto& written = codec_ ? packed_ : buffers_;
    detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
      const std::int64_t first = static_cast<std::int64_t>(item) * rows_per_item;
      format_rows(records + static_cast<std::size_t>(first) * layout_.bytes,
                  std::min(rows_per_item, rows - first), buffers_[item]);
      if (codec_) pack(buffers_[item], packed_[item]);
    });
    std::vector<std::int64_t> begins(items + 1, offset_);
    for (std::size_t i = 0; i < items; ++i) {
      begins[i + 1] = begins[i] + static_cast<std::int64_t>(written[i].used);
    }
    detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
      file_.write(begins[item], {written[item].memory.data(), written[item].used});
    });
    offset_ = begins[items];
    records += static_cast<std::size_t>(rows) * layout_.bytes;
    n -= rows;
  }
}

/// Rows of an item, so that the text of all items is a small part of memory. Reads some records.
std::int64_t csv_writer::rows_at_once(const std::byte* records, std::int64_t n,
                                      std::size_t items) const {
  constexpr std::int64_t looked_at = 1024;
  constexpr std::size_t bytes_min = std::size_t{64} << 10, bytes_max = std::size_t{1} << 20;
  const auto step = std::max<std::int64_t>(n / looked_at, 1);
  std::size_t bytes = 0, rows = 0;
  for (std::int64_t i = 0; i < n; i += step, ++rows)
    bytes += text_bytes_max(records + static_cast<std::size_t>(i) * layout_.bytes);
  const auto most =
      base::scaled_clamp(memory_.available() / (codec_ ? 16 : 8) / items, bytes_min, bytes_max);
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(most * rows / std::max<std::size_t>(bytes, 1)), 1,
      rows_per_item_max);
}

void csv_writer::format_rows(const std::byte* records, std::int64_t rows, text_buffer& text) const {
  std::size_t bytes = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    bytes += text_bytes_max(records + static_cast<std::size_t>(i) * layout_.bytes);
  }
  if (text.memory.size() < bytes) {
    text.memory.reset();
    text.memory = detail::buffer(memory_, bytes, file_.name() + ": text to be written");
  }
  char* at = text.memory.as<char>();
  for (std::int64_t i = 0; i < rows; ++i) {
    at = format_row(records + static_cast<std::size_t>(i) * layout_.bytes, at);
  }
  text.used = static_cast<std::size_t>(at - text.memory.as<char>());
}

std::size_t csv_writer::text_bytes_max(const std::byte* record) const noexcept {
  std::size_t bytes = 0;
  for (const detail::column_binding& column : layout_.columns) {
    const bool text = column.type == detail::cell::string;
    if (lacks(column, record))
      bytes += 1 + std::max(missing_.size(), std::size_t{2});
    else
      bytes += 1 + (text ? 2 * text_of(record + column.offset).size() + 2 : value_bytes_max_);
  }
  return bytes;
}

char* csv_writer::format_row(const std::byte* record, char* at) const {
  for (const detail::column_binding& column : layout_.columns) {
    if (&column != layout_.columns.data()) *at++ = delimiter_;
    const std::byte* field = record + column.offset;
    const bool alone = layout_.columns.size() == 1;  // then an empty line would be no row
    if (lacks(column, record)) {
      at = missing_.empty() && alone ? print_quoted("", at) : std::ranges::copy(missing_, at).out;
    } else if (column.type != detail::cell::string) {
      at = format_value(column, field, at);
    } else {
      const auto text = text_of(field);
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

void csv_writer::close() {
  buffers_.clear();
  packed_.clear();
  if (codec_ && offset_ == 0) write_whole("");  // an empty file isn't a compressed one
  file_.commit();
}

}  // namespace pappus::formats
