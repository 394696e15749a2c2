// How the elements of an array in a file become elements in memory, and the other way.
//
// A file says what a scalar or a structured item of its array is, and the array's shape; the user
// says a type and a number of dimensions. The last dimensions of the file's may be part of the
// element. Types must agree exactly (item_match.h); only the order of bytes may be another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/item_match.h"
#include "formats/transfer.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// How elements are read: map.verbatim() where they lie in the file as in memory, else
/// load_records() makes them.
struct element_match {
  record_map map;
  std::vector<std::int64_t> extents;  ///< of elements: the file's without those in an element
};

/// \param file         the file's name, for messages
/// \param item, shape  what the file has
/// \param layout, rank  what the user wants
/// Throws format_error naming both, also where the elements take 2^63 bytes and more.
element_match match_elements(const std::string& file, const array_item& item,
                             const std::vector<std::int64_t>& shape,
                             const detail::record_layout& layout, std::size_t rank);

/// How elements are written: store_records() makes items of them, unless map.verbatim().
struct element_plan {
  record_map map;
  array_item item;
  std::string descr;                  ///< the item's type, as Python literals spell it in NPY
  std::vector<std::int64_t> extents;  ///< dimensions behind the array's own
};

/// Elements of fields of one type without names become scalars, others items of a structured type
/// without padding. Throws usage_error for elements whose fields aren't known, or can't be written.
element_plan plan_elements(const std::string& file, const detail::record_layout& layout);

/// "[2, 3]".
std::string shape_text(const std::vector<std::int64_t>& extents);
/// "array of 2 dimensions of |u1 x 3": what the user wants.
std::string wanted_text(const detail::record_layout& layout, std::size_t rank);

}  // namespace pappus::formats
