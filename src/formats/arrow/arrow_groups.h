// Which groups of a file's rows nobody wants, as their statistics tell.
//
// Statistics tell the least and the most value of a column and how many are missing, and perhaps
// not. A group is left out if a condition is true of no value that its column may have there. Where
// a value might be refused (there is none, or its field can't have it) the group is read, so that
// it still is.
#pragma once

#include <span>
#include <vector>

#include "formats/arrow/arrow_fields.h"
#include "pappus/detail/base/conditions.h"

namespace pappus::formats {

/// Of each group, whether one of the conditions is true of none of its records.
std::vector<bool> groups_left_out(const std::vector<arrow_group>& groups,
                                  std::span<const arrow_binding> bound,
                                  const detail::conditions& wanted);

}  // namespace pappus::formats
