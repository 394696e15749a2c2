// How many pieces some rows are cut into.
#pragma once

#include <cstdint>

namespace pappus::algorithms {

/// Rounded-up division of non-negative numbers.
constexpr std::int64_t pieces_of(std::int64_t rows, std::int64_t piece) {
  return (rows + piece - 1) / piece;
}

}  // namespace pappus::algorithms
