// Sum and count of values by a 32-bit key.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "system/inputs.h"
#include "system/team.h"

namespace pappus::bench::groupby {

struct group {
  std::int32_t key;
  std::int64_t count;
  double sum;
};

/// Groups that have rows, in ascending key order.
struct result {
  std::span<const group> groups;
  /// `hash of keys and counts / weighted sum of sums`
  std::string checksum() const;
};

/// What the caller may know of the keys.
struct knowledge {
  std::int64_t
      keys;  ///< about how many different keys there are: chooses the algorithm, not the answer
  bool domain = false;  ///< whether all keys are known to be in [0, keys)
};

/// Memory of the hand-written version, touched before timing; holds its results.
class workspace {
 public:
  /// \param n  the number of rows at most.
  workspace(std::int64_t n, knowledge known, team& workers);
  ~workspace();

 private:
  friend result handwritten(std::span<const row> rows, workspace& space, team& workers);
  struct state;
  std::unique_ptr<state> state_;
};

/// \param groups  receives the result.
result sequential(std::span<const row> rows, knowledge known, std::vector<group>& groups);

/// \param rows  at most as many as `space` was made for, fewer than 2^32.
result handwritten(std::span<const row> rows, workspace& space, team& workers);

}  // namespace pappus::bench::groupby
