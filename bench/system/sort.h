// Sorting 32-bit numbers in ascending order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "system/team.h"

namespace pappus::bench::sort {

struct result {
  std::span<const std::int32_t> values;
  /// The position hash of the values.
  std::string checksum() const;
};

/// Scratch memory of the hand-written version, touched before timing.
class workspace {
 public:
  explicit workspace(team& workers);
  ~workspace();

 private:
  friend result handwritten(std::span<const std::int32_t> numbers, std::span<std::int32_t> sorted,
                            workspace& space, team& workers);
  struct state;
  std::unique_ptr<state> state_;
};

/// \param sorted  as long as `numbers`; receives the result. Cost: O(n log n).
result sequential(std::span<const std::int32_t> numbers, std::span<std::int32_t> sorted);

/// \param numbers  fewer than 2^32. \param sorted  aligned to 64 bytes.
/// Cost: three passes over memory for numbers spread evenly; a crowded range falls back to
/// comparing.
result handwritten(std::span<const std::int32_t> numbers, std::span<std::int32_t> sorted,
                   workspace& space, team& workers);

}  // namespace pappus::bench::sort
