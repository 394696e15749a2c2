#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>

#include "demo/support/package_index.h"
#include "pappus/session.h"

namespace demo {

/// log10(1 + x) of installed KiB, download KiB, dependencies and dependents.
struct features {
  std::array<double, 4> x;
};

struct member {
  std::int64_t package;  ///< its number in the index
  std::int32_t cluster;
  double distance;  ///< squared, to its cluster's centre, each feature in standard deviations
};

struct clustering {
  pappus::records<features> centres;  ///< in ascending order of installed size
  pappus::records<member> members;    ///< all packages, by cluster, then nearest first
};

/// At most k clusters: fewer where there are fewer packages.
clustering kmeans(pappus::session& s, const package_index& index, int k);

/// Prints the clusters with their typical members, those nearest the centre, and draws all packages
/// as a scatter plot, an SVG file.
void run_kmeans(pappus::session& s, const package_index& index, const std::string& svg_file,
                std::ostream& out);

}  // namespace demo
