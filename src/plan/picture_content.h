// What the picture of a plan of launches says, before it is drawn (picture.cpp): the texts of rows
// and cells, and which needs are drawn where.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "arrays/image.h"
#include "plan/plan.h"

namespace pappus::plan {

// What is beyond that is only counted.
inline constexpr std::size_t picture_rows_max = 64, picture_columns_max = 20;
/// Of a line of text.
inline constexpr std::size_t cell_letters = 30, launch_letters = 48;

/// What a launch does with an array.
struct picture_cell {
  bool touched = false, reads = false, writes = false, reduces = false;
  std::vector<std::string> lines;
};

/// A launch.
struct picture_row {
  std::vector<std::string> lines, notes;
  std::vector<std::string> header;  ///< of the launches that take turns from here on
  std::vector<picture_cell> cells;  ///< picture_columns_max of them
};

/// Needs of a launch or for one, about one array.
struct picture_need {
  bool solid = true;  ///< what is read was written; else: what is written was read or written
  std::size_t first = 0, last = 0;
  std::vector<std::size_t> from, to;  ///< rows
  std::size_t track = 0;              ///< those that share one have no rows between them in common
};

/// An array.
struct picture_column {
  const arrays::image* array = nullptr;
  std::vector<std::string> names, lines;
  std::vector<picture_need> needs;  ///< but for those that follow from others
  std::size_t tracks = 0;
};

struct picture_content {
  std::vector<picture_row> rows;
  std::vector<picture_column> columns;         ///< in the order of their first use
  std::vector<const arrays::image*> left_out;  ///< arrays
};

picture_content content_of_picture(const plan& p);

}  // namespace pappus::plan
