#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "demo/support/package_index.h"
#include "pappus/session.h"

namespace demo {

struct hit {
  std::string_view name, description;
  double score;
};

/// The ten packages that fit the words best, best first; of equals the first by name. Words are
/// compared in lower case, repeated ones count once.
pappus::records<hit> search(pappus::session& s, const package_index& index,
                            const std::vector<std::string>& words);

/// Prints the hits. No words: searches for "parallel sort".
void run_search(pappus::session& s, const package_index& index,
                const std::vector<std::string>& words, std::ostream& out);

}  // namespace demo
