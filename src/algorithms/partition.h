// Splits rows into partitions in one pass, keeping their order within each.
//
// Problem: joins and groups of many keys are fast once each partition's table fits a cache, so rows
// must first be moved by hash or by value. How many rows a partition gets is not known before.
//
// Idea: input comes in ranges, each appended to by one worker at a time. A range owns a chain of
// blocks per partition, cut from slabs as they are needed, so there is no counting pass and no
// lock; reading a partition's chains in range order gives its rows in input order, whoever wrote
// them. Rows first gather in small buffers, 16 a partition, that stay in cache and leave as whole
// lines, past the caches when the output is large. A typed loop may put them there itself.
//
// Alternatives: counting first (reads the input twice; its element function would run twice);
// writing straight to the blocks (each line is read from memory before it is written, and a store
// stalls on each of hundreds of open lines).
//
// Not here: recursion for partitions that come out large, spilling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/key_bits.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/partition.h"

namespace pappus::algorithms {

/// Maps a key to its partition.
struct partition_function {
  enum class kind : std::uint8_t { hash, spread, value };

  /// By the `bits` top bits of the key's hash, 0 <= bits <= 16: 2^bits partitions.
  static partition_function by_hash(unsigned bits, std::uint64_t seed = 0) {
    return {kind::hash, bits, seed, {}};
  }
  /// By the `bits` top bits, 1 <= bits <= 16, of the hash that group tables use.
  static partition_function by_spread(unsigned bits) { return {kind::spread, bits, 0, {}}; }
  /// By (key - base) >> shift; keys beyond the last partition go to the last. `base` is a key's
  /// bits, zero-extended.
  static partition_function by_value(bits128 base, unsigned shift) {
    return {kind::value, shift, 0, base};
  }

  /// Of what a loop that puts rows into buffers() shifts: spread_hash::product(), or a value whose
  /// base is 0.
  unsigned shift() const { return how == kind::spread ? 64 - bits : bits; }

  kind how = kind::hash;
  unsigned bits = 0;  ///< by hash: how many bits; by value: the shift
  std::uint64_t seed = 0;
  bits128 base;
};

class block_partition {
 public:
  /// Consecutive rows of one partition: n keys in one array, their payloads in another.
  struct rows {
    const std::byte* keys;
    const std::byte* payload;
    std::size_t n;
    const std::byte* next;  ///< where the rows behind them begin, as many or fewer; or null
  };

  /// \param ranges         pieces of input, in input order; a few per worker.
  /// \param partitions     64 to 512 work best.
  /// \param payload_bytes  any; 0 for keys alone.
  /// \param expected_rows  of all ranges; decides how large blocks are, not how much fits.
  block_partition(detail::memory_source& memory, unsigned ranges, unsigned partitions,
                  std::size_t key_bytes, std::size_t payload_bytes, std::size_t expected_rows,
                  std::string_view owner);
  ~block_partition();

  /// Appends n rows to a range. Different ranges may be appended to by several threads at once, one
  /// range only by one. A few hundred rows at a time are best: keys and payload are then still in
  /// L1. Throws memory_error.
  void append(unsigned range, const std::byte* keys, const std::byte* payload, std::size_t n,
              const partition_function& function);

  /// A range's buffers, for a loop that puts rows there itself. Valid until the range is closed;
  /// what append() says of threads holds. Throws memory_error, as does their flush().
  /// \param shift  makes partition numbers, which only the loop knows how.
  detail::partition_buffers buffers(unsigned range, unsigned shift);

  /// Ends a range and flushes its buffers; called by the worker that appended. Appending to it
  /// afterwards is an error.
  void close(unsigned range);

  /// Rows of partition p in all closed ranges. O(ranges).
  std::size_t size(unsigned partition) const;
  unsigned partitions() const noexcept { return partitions_; }

  /// Calls f(const rows&) for the rows of a partition in order of range, then of appending. Keys
  /// start 64-byte aligned, payloads as alignment_for() their size says. Partitions may be read in
  /// parallel once all ranges are closed.
  template <typename F>
  void for_each(unsigned partition, F&& f) const {
    for_each(partition, 0, static_cast<unsigned>(ranges_.size()), f);
  }
  /// The same for the rows of ranges [first, last) alone.
  template <typename F>
  void for_each(unsigned partition, unsigned first, unsigned last, F&& f) const {
    for (unsigned number = first; number < last; ++number) {
      const auto& range = ranges_[number];
      if (range == nullptr) continue;
      const chain& chain = range->chains[partition];
      for (const std::byte* block = chain.first; block != nullptr;
           block = load<const std::byte*>(block)) {
        const std::size_t n =
            block == chain.last ? (chain.rows - 1) % block_rows_ + 1 : block_rows_;
        f(rows{block + header_bytes, block + payload_offset_, n, load<const std::byte*>(block)});
      }
    }
  }

 private:
  static constexpr std::size_t header_bytes = 64;  // a block starts with the address of the next
  static constexpr std::size_t group_rows = detail::partition_buffers::group_rows;

  // Where a partition's next group of rows goes.
  struct cursor {
    std::byte* keys = nullptr;
    std::byte* payload = nullptr;
    std::size_t left = 0;  // rows that the block still has room for
  };
  struct chain {
    std::byte* first = nullptr;
    std::byte* last = nullptr;
    std::size_t rows = 0;
  };
  struct input_range {
    std::vector<chain> chains;           // per partition
    std::vector<cursor> cursors;         // per partition
    std::vector<std::uint32_t> waiting;  // rows in each partition's buffer
    detail::buffer buffers;              // partition_buffers::bytes() per partition
    std::vector<detail::buffer> slabs;
    std::size_t slab_used = 0;  // bytes of the last slab
    block_partition* owner = nullptr;
  };

  input_range& open(unsigned range);
  void add_block(input_range& range, unsigned partition);
  void flush(input_range& range, unsigned partition);
  template <typename Key, std::size_t PayloadBytes>
  void append_rows(input_range& range, const std::byte* keys, const std::byte* payload,
                   std::size_t n, const partition_function& function);

  detail::memory_source* memory_;
  unsigned partitions_;
  std::size_t key_bytes_, payload_bytes_;
  std::size_t block_rows_ = 0, payload_offset_ = 0, block_bytes_ = 0, slab_bytes_ = 0;
  std::size_t values_at_ = 0, buffer_bytes_ = 0;  // in a partition's buffer; of one
  bool stream_;
  std::string owner_;
  std::vector<std::unique_ptr<input_range>> ranges_;
};

}  // namespace pappus::algorithms
