// Inner join on a 64-bit key, folded into the number of matches and the sum of the products of both
// sides' pay.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "system/inputs.h"
#include "system/team.h"

namespace pappus::bench::join {

struct result {
  std::int64_t matches = 0;
  std::int64_t sum = 0;
  /// `matches/sum`
  std::string checksum() const;
};

/// Scratch memory of the hand-written version, touched before timing, for sides of at most the
/// given sizes.
class workspace {
 public:
  workspace(std::int64_t build_size, std::int64_t probe_size, team& workers);
  ~workspace();

 private:
  friend result handwritten(std::span<const item> build, std::span<const item> probe,
                            workspace& space, team& workers);
  struct state;
  std::unique_ptr<state> state_;
};

/// Keys may repeat on both sides: every pair counts.
result sequential(std::span<const item> build, std::span<const item> probe);
result handwritten(std::span<const item> build, std::span<const item> probe, workspace& space,
                   team& workers);

}  // namespace pappus::bench::join
