#include "formats/csv/csv_open.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/named_layout.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

/// The beginning of a compressed file's text, with its first row.
compressed_begin begin_rows(const byte_source& source, compression by,
                            detail::memory_source& memory, const csv_options& options) {
  constexpr std::size_t more_than_a_header = std::size_t{17} << 20;
  return begin_compressed(source, by, memory, [&](std::string_view text) {
    return text.size() >= more_than_a_header || find_first_row(text, options).end.has_value();
  });
}

std::string names_in(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
  return text;
}

}  // namespace

void check_same_columns(const std::string& path, const detail::record_layout& layout,
                        detail::memory_source& memory, const csv_options& options) {
  const auto named = named_scalars(path, layout);
  std::vector<std::string> names;
  for (const auto& column : named.columns) names.push_back(column.name);
  const auto there = open_csv(open_file(path), named, memory, options).header.names;
  if (there == names) return;
  throw format_error(
      fmt::format("{}: expected a file with the columns {}, which are to be added to, got {}; give "
                  "columns in the file's order",
                  path, names_in(names), names_in(there)));
}

std::string first_text(const byte_source& source, const csv_options& options,
                       detail::memory_source& memory) {
  if (const auto by = compression_of(source); by != compression::none)
    return begin_rows(source, by, memory, options).text;
  std::string text(static_cast<std::size_t>(std::min<std::int64_t>(source.bytes(), 64 << 10)),
                   '\0');
  source.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

opened_csv open_csv(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                    detail::memory_source& memory, const csv_options& options) {
  opened_csv result;
  if (const auto by = compression_of(*source); by == compression::none) {
    result.header = read_csv_header(*source, layout, options);
    result.text = plain_text(*source, result.header.rows.begin, result.header.rows.end);
    result.length = {static_cast<double>(source->bytes()), true};
  } else {
    const auto begin = begin_rows(*source, by, memory, options);
    const auto text = borrow_bytes(source->name(), std::as_bytes(std::span(begin.text)));
    result.header = read_csv_header(*text, layout, options);
    result.text = compressed_text(*source, begin, memory, result.header.rows.begin);
    result.length = begin.length;
    result.compressed = true;
  }
  result.source = std::move(source);
  return result;
}

}  // namespace pappus::formats
