// Columns that are bound by name, whatever the format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "pappus/detail/base/columns.h"

namespace pappus::formats {

/// What the binding calls the column: of one without a name, the field's own, which may be empty.
std::string name_of(const detail::column_binding& binding);

/// The layout with a name for each column. Throws usage_error for one that such files can't fill:
/// without columns, or with a column that has no name.
detail::record_layout named_layout(const std::string& file, detail::record_layout layout);
/// The same for files that have a value or a list in a row and column: an array is refused, too.
detail::record_layout named_columns(const std::string& file, detail::record_layout layout);
/// The same for files that have one value there: a list is refused, too.
detail::record_layout named_scalars(const std::string& file, detail::record_layout layout);

/// Of columns of one name readers would find neither: throws usage_error, of a file to be written.
void check_different_names(const std::string& file, const detail::record_layout& layout);

/// Which of the file's columns is called so. Throws format_error, which names them all, where none
/// or several are.
std::size_t find_column(const std::string& file, std::string_view name,
                        std::span<const std::string> names);

}  // namespace pappus::formats
