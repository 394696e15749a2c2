// Files of random records, as Pappus reads them and as the oracle does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "oracle/record.h"

namespace pappus::oracle {

struct table {
  std::string name;  ///< in SQL
  std::string kind;  ///< what its files are
  std::int64_t rows;
  std::function<oracle::rows(session&)> open;
  std::string load;  ///< the oracle's statement that creates it
};

/// Two tables of a few queries, of which the right one has at most 60 rows, and a file of lines.
struct world {
  table left, right;
  std::string lines;  ///< a file of text
  std::string load_lines;
};

/// \param folder  where files are to lie, which are named by `number`.
world drawn_world(draw& d, const std::string& folder, std::uint64_t number);

}  // namespace pappus::oracle
