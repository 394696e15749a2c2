// How values of Arrow's columns become fields of records.
//
// What a column may become is told by the types of both, before anything is read: text only text,
// a date only a date. Numbers may become those of another type that has all their values; integers
// also narrower ones and floats, and whole decimals integers, where each value is looked at.
// Nothing is rounded, but for decimals of up to 15 digits: the nearest float is that of no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/arrow/arrow_library.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// A value that its field can't have: number `row` of those that were to be filled.
struct arrow_cell_problem {
  std::int64_t row = 0;
  std::string text;
};

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

/// Sets a field of n records to the piece's values from number `begin` on. Text isn't copied.
/// \param codes  of the texts of the piece's dictionary, for a field that is a category
/// Throws arrow_cell_problem.
void fill_arrow_cells(const arrow_binding& binding, const arrow_piece& piece,
                      std::span<const std::uint32_t> codes, std::int64_t begin, std::int64_t n,
                      std::byte* records, std::size_t record_bytes);

/// The categories that a dictionary's texts are.
std::vector<std::uint32_t> codes_of_texts(const arrow_piece& dictionary);

/// The type of a field that has all of the column's values, for columns that can be bound.
struct arrow_field {
  bool known = false;
  detail::cell type = detail::cell::string;
  detail::cell item{};  ///< of a list's items
};
arrow_field field_for(const arrow_column& column);

}  // namespace pappus::formats
