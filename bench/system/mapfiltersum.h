// Add 15, keep what 15 divides, count and sum it: arithmetic on an array in memory, bound by
// reading it once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/team.h"

namespace pappus::bench::mapfiltersum {

inline bool divisible_by_15(std::int32_t y) { return y % 15 == 0; }

struct result {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  result& operator+=(const result& other) {
    count += other.count;
    sum += other.sum;
    return *this;
  }
  /// `count/sum`
  std::string checksum() const;
};

/// \param numbers  each below 2^31 - 15.
result sequential(std::span<const std::int32_t> numbers);
result handwritten(std::span<const std::int32_t> numbers, team& workers);

}  // namespace pappus::bench::mapfiltersum
