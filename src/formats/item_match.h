// Matches the items of a binary file, scalars or structures, with the fields of a record.
//
// Columns with names take the fields of a structure by name; others are left out. Columns without
// names take them by position. Scalars that follow each other go to the record's fields in the
// order of the bindings. If nothing is known of the record but its size, sizes must agree. Types
// must agree exactly: a silent conversion would hide that a file is not what it was thought to be.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "formats/npy/npy_header.h"
#include "formats/transfer.h"
#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// A scalar, or fields of a structure.
struct array_item {
  bool structured = false;
  std::vector<npy_field> fields;  ///< if not structured: one field, without a name
  std::size_t bytes = 0;
};

/// How items become records.
/// \param per_record  items that a record is made of; more than one only of scalars
/// \param fail        throws, whatever its argument, a hint to be put behind its message
record_map match_items(const array_item& item, std::size_t per_record,
                       const detail::record_layout& layout,
                       const std::function<void(const std::string& hint)>& fail);

/// "fields "x" <f4, <i2 x 3".
std::string fields_text(const array_item& item);
std::string fields_text(const detail::record_layout& layout);

/// Throws usage_error where a field may be missing, for which there is no number.
void refuse_missing(const std::string& file, const detail::record_layout& layout);
/// Throws usage_error where a field is text, which arrays of numbers don't have.
void refuse_text(const std::string& file, const detail::record_layout& layout);
/// Scalars of a record.
std::size_t scalars(const detail::record_layout& layout);
/// Whether these are of one type and have no names, so that an array of scalars can have them.
bool is_plain(const detail::record_layout& layout);
/// Whether some columns have names.
bool is_named(const detail::record_layout& layout);

}  // namespace pappus::formats
