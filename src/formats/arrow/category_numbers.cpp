#include "formats/arrow/category_numbers.h"

#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "base/utf8.h"
#include "pappus/category.h"
#include "pappus/error.h"

namespace pappus::formats {

arrow_piece category_numbers::texts(const std::string& where, detail::memory_source& memory,
                                    detail::buffer& places, detail::buffer& text) const {
  constexpr std::size_t text_max = std::numeric_limits<std::int32_t>::max();
  std::size_t bytes = 0;
  for (const auto code : codes_) {
    const auto one = detail::text_of_code(code);
    if (!base::is_utf8(one))
      throw format_error(where + ": expected text in UTF-8, as Arrow has it, got other bytes");
    bytes += one.size();
  }
  if (bytes > text_max)
    throw format_error(fmt::format(
        "{}: expected categories with less than 2 GiB of text, got {} bytes", where, bytes));
  places.reset();
  text.reset();
  places = detail::buffer(memory, (codes_.size() + 1) * sizeof(std::int32_t), where);
  if (bytes > 0) text = detail::buffer(memory, bytes, where);
  auto* const ends = places.as<std::int32_t>();
  std::size_t end = 0;
  ends[0] = 0;
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    const auto one = detail::text_of_code(codes_[i]);
    if (!one.empty()) std::memcpy(text.data() + end, one.data(), one.size());
    end += one.size();
    ends[i + 1] = static_cast<std::int32_t>(end);
  }
  arrow_piece piece;
  piece.rows = static_cast<std::int64_t>(codes_.size());
  piece.values = ends;
  piece.text = bytes == 0 ? "" : text.as<const char>();
  return piece;
}

}  // namespace pappus::formats
