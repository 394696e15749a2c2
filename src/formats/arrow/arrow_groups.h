// Which rows of a file nobody wants, as its statistics tell.
//
// Statistics tell the least and the most value of a column and how many are missing, and perhaps
// not: of groups of rows, and of the pages that a column has in them. A group, or page, is left out
// if a condition is true of no value that its column may have there. Where a value might be refused
// (there is none, or its field can't have it) it is read, so that it still is. Of a group's pages
// those are left out that lie before all that are wanted, or behind: as columns have pages of their
// own, rows between are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/arrow/arrow_fields.h"
#include "pappus/detail/base/conditions.h"

namespace pappus::formats {

/// Of each group, whether one of the conditions is true of none of its records.
std::vector<bool> groups_left_out(const std::vector<arrow_group>& groups,
                                  std::span<const arrow_binding> bound,
                                  const detail::conditions& wanted);

/// Rows of a group that are read, or passed over.
struct arrow_section {
  std::size_t group = 0;
  std::int64_t first_row = 0, rows = 0;  ///< in the group
  bool left_out = false;
  std::int64_t bytes = 0;  ///< that aren't fetched, where it is left out
};

/// The rows of a file, in order: of a group up to three sections, the first and last of which have
/// no record of which all conditions are true. Throws arrow_problem.
std::vector<arrow_section> sections_of(arrow_file& file, std::span<const arrow_binding> bound,
                                       const detail::conditions& wanted);

}  // namespace pappus::formats
