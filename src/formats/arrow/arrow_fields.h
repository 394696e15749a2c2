// Which fields Arrow's columns may become.
//
// What a column may become is told by the types of both, before anything is read: text only text,
// a date only a date. Numbers may become those of another type that has all their values; integers
// also narrower ones and floats, and whole decimals integers, where each value is looked at.
// Nothing is rounded, but for decimals of up to 15 digits: the nearest float is that of no other.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/arrow/arrow_library.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// A column that is bound to a field.
struct arrow_binding {
  std::size_t column = 0;  ///< of the file's
  arrow_column from;
  detail::column_binding field;
};

/// Finds the bound columns. Throws format_error for columns that the file hasn't, and for types
/// that can't become those of their fields.
std::vector<arrow_binding> bind_arrow_columns(const std::string& file,
                                              const std::vector<arrow_column>& columns,
                                              const detail::record_layout& layout);

/// Decimals of so many digits are told apart by their nearest doubles.
inline constexpr int exact_digits = 15;

/// As messages call it.
const char* field_type(detail::cell type);

/// The type of a field that has all of the column's values, for columns that can be bound.
struct arrow_field {
  bool known = false;
  detail::cell type = detail::cell::string;
  detail::cell item{};  ///< of a list's items
};
arrow_field field_for(const arrow_column& column);

}  // namespace pappus::formats
