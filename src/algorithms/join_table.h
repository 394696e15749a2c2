// The build side of a join: from key bits to the rows that have them.
//
// Problem: probing is one random access per row of the other side, so its cost is cache misses.
// Keys are mostly unique, but need not be; rows with equal keys must come out in ascending order
// whatever the number of workers.
//
// Idea: an entry is {first, count}: the row itself when a key is unique, else a run in an array of
// row numbers. A bucket is one cache line of a few keys and their entries, so that a look-up of a
// present key rarely touches more and compares without branching. The table is cut into regions by
// the top bits of the hash. The build side is partitioned the same way, stably; each region is then
// built by one worker, in cache, and is a ring of its own, so workers never meet. Should a region
// overflow (keys made to collide), everything is built again with another hash. Probes prefetch a
// whole batch first.
//
// For a known domain [base, base + k) of keys there are entries alone, indexed by key - base.
//
// Alternatives: partitioning both sides (faster for build sides far beyond the last cache, but rows
// lose their order and move twice); chaining (dependent misses).
//
// Not here: left-side payloads; the caller gathers fields by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "algorithms/key_bits.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::algorithms {

/// Keys are base .. base + size - 1 (key bits, zero-extended; size < 2^63); size 0: no domain is
/// known.
struct join_domain {
  bits128 base;
  std::uint64_t size = 0;
};

class join_table {
 public:
  /// Bytes that a key takes while a table is built.
  static constexpr std::size_t building_bytes(std::size_t key_bytes) { return 4 * key_bytes + 28; }

  /// Maps keys[0..n) to 0..n-1. O(n), parallel.
  ///
  /// \param key_bytes   4, 8 or 16.
  /// \param row_bytes   of row numbers in the table: 4, 8, or 0 to choose by n.
  /// \throws memory_error; usage_error for a key outside the domain.
  join_table(detail::workers& team, detail::memory_source& memory, const std::byte* keys,
             std::uint64_t n, std::size_t key_bytes, join_domain domain, std::string_view owner,
             std::size_t row_bytes = 0);

  /// Sets count[i] to the number of rows that have key i, and first[i] to where they are: the row
  /// itself if there is one; if there are more, they are row(first[i]), ..., row(first[i] +
  /// count[i] - 1), ascending; unspecified if there is none. Thread-safe. A few hundred keys at a
  /// time are best.
  void probe(const std::byte* keys, std::size_t n, std::uint64_t* first,
             std::uint64_t* count) const {
    probe_(*this, keys, n, first, count);
  }

  /// True when no key occurs twice; then count never exceeds 1.
  bool unique() const noexcept { return unique_; }

  /// Fetches a region of a table without a domain.
  void fetch(std::uint64_t region) const;

  std::uint64_t row(std::uint64_t position) const noexcept {
    return row_bytes_ == 4 ? rows_.as<std::uint32_t>()[position]
                           : rows_.as<std::uint64_t>()[position];
  }

  std::uint64_t rows() const noexcept { return n_; }

  /// The table as it lies in memory, for look-ups elsewhere.
  struct layout {
    const detail::buffer& index;  ///< entries by key, or regions of buckets of 64 bytes
    const detail::buffer& rows;   ///< runs of equal keys' rows; empty when unique()
    join_domain domain;           ///< size 0: buckets
    std::uint64_t seed, region_buckets;
    unsigned region_bits;  ///< for buckets: there are 2^region_bits regions
    std::size_t key_bytes, row_bytes;
  };
  layout as_it_lies() const noexcept {
    return {index_, rows_, domain_, seed_, region_buckets_, region_bits_, key_bytes_, row_bytes_};
  }

 private:
  template <typename Key, typename Row, template <typename, typename> class Index>
  friend class join_builder;

  std::uint64_t n_;
  std::size_t key_bytes_, row_bytes_;
  std::string owner_;
  bool unique_ = true;
  // The index: buckets or entries in regions.
  detail::buffer index_;
  std::uint64_t seed_ = 0;
  unsigned region_bits_ = 0;          // buckets: log2 of regions; domain: log2 of a region's keys
  std::uint64_t region_buckets_ = 0;  // of a region; unused for a domain
  join_domain domain_;
  detail::buffer rows_;  // runs of equal keys' rows
  void (*probe_)(const join_table&, const std::byte*, std::size_t, std::uint64_t*,
                 std::uint64_t*) = nullptr;
};

}  // namespace pappus::algorithms
