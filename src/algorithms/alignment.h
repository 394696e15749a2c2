// Where records of which only the size is known may lie.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pappus::algorithms {

/// At multiples of so many bytes any records of `bytes` bytes may lie, the first of them: a type's
/// alignment divides its size, and is a page of 4096 at most. At least a cache line.
constexpr std::size_t alignment_for(std::size_t bytes) {
  return std::clamp<std::size_t>(bytes & (~bytes + 1), 64, 4096);
}

}  // namespace pappus::algorithms
