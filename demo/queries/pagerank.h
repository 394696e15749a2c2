#pragma once

#include <cstdint>
#include <iosfwd>

#include "demo/support/package_index.h"
#include "pappus/session.h"

namespace demo {

struct rank {
  std::int32_t package;  ///< its number in the index
  std::int32_t degree;   ///< packages it depends on
  double value;          ///< all values sum up to 1
};

/// The rank of every package, in the index's order. Iterates until the ranks move by less than 1e-9
/// altogether.
pappus::collection<rank> pagerank(pappus::session& s, const package_index& index);

/// Prints the packages that matter most.
void run_pagerank(pappus::session& s, const package_index& index, std::ostream& out);

}  // namespace demo
