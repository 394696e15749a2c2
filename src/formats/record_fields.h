// What writers of files see of a record's fields.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// The text that a field points to.
inline std::string_view text_of(const std::byte* field) noexcept {
  std::string_view text;
  std::memcpy(&text, field, sizeof(text));
  return text;
}

/// Whether a field is a std::optional without a value.
inline bool lacks_value(const detail::column_binding& column, const std::byte* record) noexcept {
  return column.presence != 0 && record[column.presence] == std::byte{0};
}

}  // namespace pappus::formats
