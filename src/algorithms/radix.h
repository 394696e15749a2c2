// Stable sort of key bits, each with a payload, by radix.
//
// Problem: 1e8 keys sort at the speed of memory only if they cross it a few times, and every access
// in between hits a cache.
//
// Idea: digits are taken of (key - least key), so constant and narrow keys cost nothing. One pass
// over the whole input (MSD) scatters it, in parallel and exactly placed by histograms of pieces,
// into up to 2048 buckets that fit a core's L2; rows gather in small buffers and leave as whole
// lines past the caches. Each bucket is then one worker's: LSD passes of up to 11 bits within L2.
// For wide keys these passes cover only the bits that tell that many keys apart; one insertion pass
// puts the few rows right that still tie, and where it finds many (clustered keys), LSD passes over
// all bits replace it. A bucket that is too large (skew, outliers) is sorted the same way again by
// the whole team. Sorted and reversed input is noticed on the way and costs one read.
//
// Stability makes the result unique, so it can't depend on workers or pieces.
//
// Alternatives: LSD over the whole input (a memory pass per digit); sample sort (comparisons
// mispredict); in-place MSD (not stable). For payloads beyond 16 bytes row numbers are sorted
// instead and the payload is gathered once.
//
// Not here: mapping keys to bits and back; external sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {

/// Two arrays of n keys and two of n payloads, all 64-byte aligned. The rows to sort are in `keys`
/// and `payload`.
struct sort_buffers {
  std::byte* keys;
  std::byte* payload;  ///< unused when payload_bytes is 0
  std::byte* other_keys;
  std::byte* other_payload;
};

/// Where radix_sort() left the rows.
enum class sorted_in { first, other };

/// Sorts n rows by key, ascending; rows with equal keys keep their order.
///
/// \param key_bytes      4, 8 or 16 (bits128).
/// \param payload_bytes  any; 0, 4, 8 and 16 are fastest.
/// \returns              which of the buffers hold the result; what the others hold is unspecified.
/// \throws memory_error naming `owner`; pappus::cancelled. Needs scratch of about 100 KiB a worker,
///         and 8 or 16 bytes a row when the payload is of another size.
/// Cost: O(n) for keys of bounded width; reads and writes each row about three times, two of them
/// in cache.
sorted_in radix_sort(detail::workers& team, detail::memory_source& memory,
                     const sort_buffers& buffers, std::uint64_t n, std::size_t key_bytes,
                     std::size_t payload_bytes, std::string_view owner);

/// Copies n integers to `out` in ascending order of (integer ^ flip) as an unsigned number.
///
/// \param bytes  4 or 8 an integer; `out` is 64-byte aligned, and `in` is left as it is.
/// \throws memory_error naming `owner`; pappus::cancelled. Needs scratch of about 800 KiB a worker,
/// and as much as `out` when a few values are far more frequent than others.
/// Cost: as radix_sort(), which it saves the mapping of integers to bits and back.
void sort_integers(detail::workers& team, detail::memory_source& memory, const std::byte* in,
                   std::byte* out, std::uint64_t n, std::size_t bytes, std::uint64_t flip,
                   std::string_view owner);

}  // namespace pappus::algorithms
