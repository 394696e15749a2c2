// How values of Arrow's columns become fields of records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/arrow/arrow_fields.h"
#include "formats/arrow/arrow_library.h"

namespace pappus::formats {

/// A value that its field can't have: number `row` of those that were to be filled.
struct arrow_cell_problem {
  std::int64_t row = 0;
  std::string text;
};

/// Sets a field of n records to the piece's values from number `begin` on. Text isn't copied.
/// \param codes  of the texts of the piece's dictionary, for a field that is a category
/// Throws arrow_cell_problem.
void fill_arrow_cells(const arrow_binding& binding, const arrow_piece& piece,
                      std::span<const std::uint32_t> codes, std::int64_t begin, std::int64_t n,
                      std::byte* records, std::size_t record_bytes);

/// The categories that a dictionary's texts are.
std::vector<std::uint32_t> codes_of_texts(const arrow_piece& dictionary);

}  // namespace pappus::formats
