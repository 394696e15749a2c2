// What writers of files see of a record's fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pappus/category.h"
#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/list_bytes.h"

namespace pappus::formats {

/// The text of a field that has text: what it points to, or a category's.
inline std::string_view text_of(detail::cell type, const std::byte* field) noexcept {
  if (type == detail::cell::category) {
    std::uint32_t code = 0;
    std::memcpy(&code, field, sizeof(code));
    return detail::text_of_code(code);
  }
  std::string_view text;
  std::memcpy(&text, field, sizeof(text));
  return text;
}

inline std::string_view bytes_of_list(const std::byte* field) noexcept {
  std::string_view bytes;
  std::memcpy(&bytes, field, sizeof(bytes));
  return bytes;
}
/// How many items a list of such bytes has.
inline std::size_t items_in(const detail::column_binding& column, std::string_view bytes) noexcept {
  return column.item == detail::cell::string ? detail::count_of_texts(bytes)
                                             : bytes.size() / cell_bytes(column.item);
}
/// Calls f(item) for the items of a list, of which each lies there as a field of its type would.
template <typename F>
void for_each_item(const detail::column_binding& column, const std::byte* field, const F& f) {
  const auto bytes = bytes_of_list(field);
  if (column.item == detail::cell::string) {
    for (std::size_t i = 0; i < detail::count_of_texts(bytes); ++i) {
      const auto text = detail::text_number(bytes, i);
      f(reinterpret_cast<const std::byte*>(&text));
    }
  } else {
    const auto size = cell_bytes(column.item);
    for (std::size_t at = 0; at < bytes.size(); at += size)
      f(reinterpret_cast<const std::byte*>(bytes.data() + at));
  }
}

/// Whether a field is a std::optional without a value.
inline bool lacks_value(const detail::column_binding& column, const std::byte* record) noexcept {
  return column.presence != 0 && record[column.presence] == std::byte{0};
}

}  // namespace pappus::formats
