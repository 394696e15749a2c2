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

/// The beginning of a compressed file's text: the first row, or more than a header may have.
struct beginning {
  std::string text;
  text_length length;  ///< of the file's text
};
beginning begin_text(const byte_source& source, compression by, detail::memory_source& memory) {
  constexpr std::size_t first_read = std::size_t{64} << 10, most = std::size_t{17} << 20;
  const auto from = make_decompressor(by, source, memory);
  std::string text;
  while (!from->ended() && text.size() < most) {
    const auto before = text.size();
    text.resize(before + first_read);
    text.resize(before + from->read(std::as_writable_bytes(std::span(text).subspan(before))));
    if (has_first_row(text)) break;
  }
  const text_length length{
      guessed_text_bytes(source, text.size(), from->stored_read(), from->ended()), false};
  return {std::move(text), length};
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
    const auto begin = begin_text(*source, by, memory);
    const auto text = borrow_bytes(source->name(), std::as_bytes(std::span(begin.text)));
    result.header = read_csv_header(*text, layout, options);
    result.text = compressed_text(*source, by, memory, result.header.rows.begin);
    result.length = begin.length;
    result.compressed = true;
  }
  result.source = std::move(source);
  return result;
}

}  // namespace pappus::formats
