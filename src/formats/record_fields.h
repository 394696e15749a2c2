// What writers of files see of a record's fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pappus/category.h"
#include "pappus/detail/base/columns.h"

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

/// Whether a field is a std::optional without a value.
inline bool lacks_value(const detail::column_binding& column, const std::byte* record) noexcept {
  return column.presence != 0 && record[column.presence] == std::byte{0};
}

}  // namespace pappus::formats
