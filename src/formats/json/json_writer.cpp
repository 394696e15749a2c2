#include "formats/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "formats/csv/csv_cell.h"
#include "formats/csv/csv_text.h"
#include "formats/json/json_row.h"
#include "formats/named_layout.h"
#include "formats/record_fields.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

using detail::cell;

/// At most 6 * text.size() + 2 bytes.
char* print_json_text(std::string_view text, char* at) noexcept {
  constexpr char digits[] = "0123456789abcdef";
  *at++ = '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *at++ = '\\';
      *at++ = c;
    } else if (code >= 0x20) {
      *at++ = c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      *at++ = '\\';
      *at++ = c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
    } else {
      at = std::ranges::copy(std::string_view("\\u00"), at).out;
      *at++ = digits[code >> 4];
      *at++ = digits[code & 15];
    }
  }
  *at++ = '"';
  return at;
}

std::string json_text(std::string_view text) {
  std::string result(6 * text.size() + 2, '\0');
  result.resize(static_cast<std::size_t>(print_json_text(text, result.data()) - result.data()));
  return result;
}

double float_at(cell type, const std::byte* value) noexcept {
  if (type == cell::f64) {
    double result;
    std::memcpy(&result, value, sizeof(result));
    return result;
  }
  float result;
  std::memcpy(&result, value, sizeof(result));
  return result;
}

/// What a value takes at most, with what stands between it and the next.
std::size_t printed_bytes_max(cell type, const std::byte* value) noexcept {
  constexpr std::size_t around = 6;
  return around + (detail::is_text_cell(type) ? 6 * text_of(type, value).size() : value_bytes_max);
}

/// The first part of a name behind `prefix`; all of it where no dot parts an object from a key.
std::string_view key_in(std::string_view name, std::size_t prefix) noexcept {
  const auto rest = name.substr(prefix);
  const auto dot = rest.find('.');
  return dot == rest.npos || dot == 0 || dot + 1 == rest.size() ? rest : rest.substr(0, dot);
}

}  // namespace

json_writer::json_writer(const std::string& path, const detail::record_layout& layout,
                         detail::memory_source& memory, codec_pointer compressed_by,
                         const file_end* behind)
    : text_writer(path, layout.bytes, memory, std::move(compressed_by), behind), path_(path) {
  const auto named = named_layout(path, layout);
  for (const auto& column : named.columns)
    if (!is_utf8(column.name))
      throw usage_error(
          fmt::format("{}: column {}: expected a name in UTF-8", path, shown(column.name)));
  std::string before = "{";
  plan(named.columns, 0, before);
  end_ = before + "}\n";
}

/// The members of an object, whose columns' names are alike up to `prefix`. What stands before the
/// next value is gathered in `before`.
void json_writer::plan(const std::vector<detail::column_binding>& columns, std::size_t prefix,
                       std::string& before) {
  std::vector<std::string_view> done;
  for (const auto& column : columns) {
    const auto key = key_in(column.name, prefix);
    if (std::ranges::find(done, key) != done.end()) continue;
    if (!done.empty()) before += ',';
    done.push_back(key);
    before += json_text(key) + ':';
    std::vector<detail::column_binding> own;
    for (const auto& other : columns)
      if (key_in(other.name, prefix) == key) own.push_back(other);
    const bool value = column.name.size() == prefix + key.size();
    if (value && own.size() == 1) {
      steps_.push_back({std::exchange(before, {}), column});
      continue;
    }
    for (const auto& one : own)
      if (one.name.size() == prefix + key.size())
        throw usage_error(fmt::format(
            "{}: column \"{}\": expected a key of its own, got that of \"{}\", too; give one of "
            "them another name: column(\"name\", &record::field)",
            path_, one.name, own[&one == own.data() ? 1 : 0].name));
    before += '{';
    plan(own, prefix + key.size() + 1, before);
    before += '}';
  }
}

std::size_t json_writer::text_bytes_max(const std::byte* record) const noexcept {
  constexpr std::size_t around = 6;  // quotes, T and Z of a time, a comma and brackets
  std::size_t bytes = end_.size();
  for (const auto& [before, column] : steps_) {
    bytes += before.size() + around;
    const std::byte* const value = record + column.offset;
    if (lacks_value(column, record))
      bytes += value_bytes_max;
    else if (column.type == cell::list)
      for_each_item(column, value,
                    [&](const std::byte* item) { bytes += printed_bytes_max(column.item, item); });
    else
      for (std::size_t i = 0; i < column.count; ++i)
        bytes += printed_bytes_max(column.type, value + i * cell_bytes(column.type));
  }
  return bytes;
}

char* json_writer::format_row(const std::byte* record, char* at) const {
  for (const auto& [before, column] : steps_) {
    at = std::ranges::copy(before, at).out;
    const std::byte* value = record + column.offset;
    if (lacks_value(column, record)) {
      at = std::ranges::copy(std::string_view("null"), at).out;
    } else if (column.type == cell::list) {
      *at++ = '[';
      const char* const first = at;
      for_each_item(column, value, [&](const std::byte* item) {
        if (at != first) *at++ = ',';
        at = print(column, column.item, item, at);
      });
      *at++ = ']';
    } else if (column.count == 1) {
      at = print(column, column.type, value, at);
    } else {
      for (std::size_t i = 0; i < column.count; ++i, value += cell_bytes(column.type)) {
        *at++ = i == 0 ? '[' : ',';
        at = print(column, column.type, value, at);
      }
      *at++ = ']';
    }
  }
  return std::ranges::copy(end_, at).out;
}

/// \param type  of the value: the column's, or that of its items
char* json_writer::print(const detail::column_binding& column, cell type, const std::byte* value,
                         char* at) const {
  constexpr std::size_t date_bytes = 10;
  switch (type) {
    case cell::string:
    case cell::category: {
      const auto text = text_of(type, value);
      if (!is_utf8(text))
        throw format_error(fmt::format("{}: column \"{}\": expected text in UTF-8, got {}", path_,
                                       column.name, shown(text)));
      return print_json_text(text, at);
    }
    case cell::f32:
    case cell::f64: {
      const double number = float_at(type, value);
      if (std::isnan(number)) return std::ranges::copy(std::string_view("null"), at).out;
      if (std::isinf(number))
        throw format_error(fmt::format(
            "{}: column \"{}\": expected a number that JSON has, got {}inf; map it to NaN, which "
            "is written as null, or write a .csv",
            path_, column.name, number < 0 ? "-" : ""));
      return print_value(type, value, at);
    }
    case cell::date:
    case cell::timestamp: {
      *at++ = '"';
      char* end = print_value(type, value, at);
      if (type == cell::timestamp) {
        at[date_bytes] = 'T';
        *end++ = 'Z';
      }
      *end++ = '"';
      return end;
    }
    default:
      return print_value(type, value, at);
  }
}

}  // namespace pappus::formats
