// Keys by their rank, without sorting the others.
//
// Idea: one pass counts keys by their top bits below the greatest difference of two, a second one
// puts those of the bin that has the rank in front. Each round leaves a bin of up to 2048; rounds
// neither compare keys with a pivot, which processors mispredict, nor have a bad case: there are
// seven for keys of 64 bits. Few keys are sorted.
//
// Alternatives: std::nth_element took 3 to 5 times as long for groups of 1,000 to 100,000 keys.
//
// Not here: keys that don't lie side by side, or in memory (cpu_ops/quantile.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::algorithms {

/// The key of a rank, and that of the next one; of the last rank the same twice.
template <typename Key>
struct neighbours {
  Key at, next;
  friend bool operator==(const neighbours&, const neighbours&) = default;
};

/// Of n keys the one with k lesser ones, 0 <= k < n, equals counted in any order. Puts the keys in
/// another order. O(n) by one thread, no memory.
neighbours<std::uint32_t> select(std::uint32_t* keys, std::size_t n, std::size_t k);
neighbours<std::uint64_t> select(std::uint64_t* keys, std::size_t n, std::size_t k);

}  // namespace pappus::algorithms
