// Inclusive prefix sum of 32-bit numbers, wrapping.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "system/team.h"

namespace pappus::bench::scan {

struct result {
  std::span<const std::int32_t> values;
  /// The position hash of the values.
  std::string checksum() const;
};

/// \param sums  as long as `numbers`; receives the result.
result sequential(std::span<const std::int32_t> numbers, std::span<std::int32_t> sums);

/// \param sums  aligned to 64 bytes.
result handwritten(std::span<const std::int32_t> numbers, std::span<std::int32_t> sums,
                   team& workers);

}  // namespace pappus::bench::scan
