// What a join's two sides know of each other once their types are erased.
//
// The build side becomes a node whose single row is a join_side: an index from keys to row numbers.
// A stage that probes has two sides more, that index and the build side's rows. Its fused loop
// turns a batch of records into keys, asks for the pairs of rows that match, and gathers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pappus/detail/base/bits.h"
#include "pappus/detail/base/request.h"

namespace pappus::detail {

/// How keys are stored: their bits in 4, 8 or 16 bytes, or as text_key.
struct join_keys {
  std::size_t bytes = 8;
  bool strings = false;
};

struct join_build_params : op_params {
  write_loop loop = nullptr;  ///< writes the key of each row
  join_keys keys;
  const char* side = "right";     ///< whose keys they are, for messages
  bits128 domain_base;            ///< the bits of key 0
  std::int64_t domain_rows = -1;  ///< keys in the domain; below 0: no domain is known
};
const graph::operator_entry& join_build_operator();

/// For the rows of a join's indexed side that no row of the stage matches. The stage's sides are
/// those of the join: the index and the rows.
struct unmatched_params : op_params {
  write_loop loop = nullptr;  ///< writes the key of each row, as the index has them
  join_keys keys;
  node_ptr by_anti_join;  ///< the same rows, by an index of the other side
};
const graph::operator_entry& unmatched_operator();

/// The row of a join_build node.
struct join_side {
  /// algorithms::join_index; cpu_ops::asked_join where the right rows came in windows.
  const void* index = nullptr;
};

/// What becomes of a left record.
enum class join_kind : std::uint8_t {
  inner,  ///< a pair for every match
  outer,  ///< a pair for every match; without a match one pair, its right row is no_row
  semi,   ///< one pair with no_row where there is a match
  anti,   ///< one pair with no_row where there is no match
};

/// One batch of left records and the pairs they take part in. On the stack of the fused loop: most
/// of it stays in L1.
struct join_batch {
  static constexpr std::size_t rows_max = 512;
  static constexpr std::uint64_t no_row = ~std::uint64_t{0};

  const std::uint32_t* left = nullptr;   ///< left[k]: which record of the batch is in pair k
  const std::uint64_t* right = nullptr;  ///< right[k]: which row of the build side is

  // What join_next() still has to do.
  const void* index = nullptr;
  join_kind kind = join_kind::inner;
  std::size_t rows = 0, next_row = 0;
  std::uint64_t next_match = 0;  // of next_row
  bool all_once = false;         // every record matches exactly one row: `count` isn't filled in
  std::uint64_t first[rows_max], count[rows_max], right_rows[rows_max];
  std::uint32_t left_rows[rows_max];
};

/// Looks up n <= rows_max keys, which are stored as join_keys of the build side say.
void join_probe(const join_side& side, join_kind kind, const void* keys, std::size_t n,
                join_batch& batch);

/// The next pairs of a probed batch, by left record, then by right row: sets batch.left and
/// batch.right and returns how many there are, at most rows_max; 0 when all have been seen.
std::size_t join_next(join_batch& batch);

}  // namespace pappus::detail
