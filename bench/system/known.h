// The checksums of benchmarks at their default sizes, so that a mistake that all versions share is
// seen, too: in what they have in common, such as their inputs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "system/harness.h"

namespace pappus::bench {

struct known_checksum {
  std::string_view name;  ///< a result's: "groupby_dense_100"
  std::int64_t n;
  std::string_view checksum;
  /// Relative, of the checksum's parts, as in agree(). Exact: none.
  std::vector<double> tolerances{0};
  std::uint64_t seed = 42;
};

std::span<const known_checksum> known_checksums();

/// Null: none is known for this size and seed.
const known_checksum* known_for(const result& of);

}  // namespace pappus::bench
