// Five iterations of PageRank over an edge list, out-degrees included.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/inputs.h"
#include "system/team.h"

namespace pappus::bench::pagerank {

inline constexpr int iterations = 5;
inline constexpr double damping = 0.85;

struct result {
  std::span<const double> ranks;
  /// `sum of ranks / sum weighted by (1 + page mod 97)`
  std::string checksum() const;
};

/// Memory of the hand-written version, touched before timing; holds its results.
class workspace {
 public:
  /// \param links  the number of links at most.
  workspace(std::int64_t pages, std::int64_t links, team& workers);
  ~workspace();

 private:
  friend void partition(std::span<const link> links, workspace& space, team& workers);
  friend result iterate_partitioned(workspace& space, team& workers);
  struct state;
  std::unique_ptr<state> state_;
};

/// \param ranks  receives the result, one per page.
result sequential(std::span<const link> links, std::int64_t pages, std::vector<double>& ranks);
result handwritten(std::span<const link> links, workspace& space, team& workers);
/// The two halves of the hand-written version: what it does once, and the iterations.
void partition(std::span<const link> links, workspace& space, team& workers);
result iterate_partitioned(workspace& space, team& workers);

}  // namespace pappus::bench::pagerank
