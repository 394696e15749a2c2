// Keys as bits: unsigned integers of 4, 8 or 16 bytes whose order is the order of the keys.
//
// Equal keys have equal bits. Sorts, partitions and hash tables look at nothing else, so they are
// compiled once for all key types.
#pragma once

#include <compare>
#include <cstdint>

namespace pappus::detail {

/// 16 bytes, compared `hi` first. In memory it is a little-endian 128-bit integer.
struct bits128 {
  std::uint64_t lo = 0, hi = 0;

  friend constexpr bool operator==(const bits128&, const bits128&) = default;
  friend constexpr std::strong_ordering operator<=>(const bits128& a, const bits128& b) {
    return a.hi != b.hi ? a.hi <=> b.hi : a.lo <=> b.lo;
  }
};

}  // namespace pappus::detail
