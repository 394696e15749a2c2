#include "formats/csv/csv_open.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace pappus::formats {
namespace {

/// Whether the first row ends in this text.
bool has_first_row(std::string_view text) noexcept {
  bool quoted = false;
  for (const char c : text) {
    quoted ^= c == '"';
    if (c == '\n' && !quoted) return true;
  }
  return false;
}

}  // namespace

opened_csv open_csv(std::unique_ptr<byte_source> source, const detail::record_layout& layout,
                    detail::memory_source& memory, const csv_options& options) {
  opened_csv result;
  if (const auto by = compression_of(*source); by == compression::none) {
    result.header = read_csv_header(*source, layout, options);
    result.text = plain_text(*source, result.header.rows.begin, result.header.rows.end);
    result.length = {static_cast<double>(source->bytes()), true};
  } else {
    constexpr std::size_t more_than_a_header = std::size_t{17} << 20;
    const auto begin = begin_compressed(*source, by, memory, [](std::string_view text) {
      return text.size() >= more_than_a_header || has_first_row(text);
    });
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
