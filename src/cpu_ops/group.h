// What the files of group_by share: group.cpp (the operator), group_dense.cpp (known domains) and
// group_hash.cpp (unknown ones).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/coded_texts.h"
#include "algorithms/group_leaves.h"
#include "algorithms/group_table.h"
#include "algorithms/partition.h"
#include "algorithms/strings.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/late_rows.h"
#include "cpu_ops/shared_rows.h"
#include "ops/group.h"
#include "pappus/detail/loops/group.h"

namespace pappus::cpu_ops {

using detail::group_params;
using ops::bits_bytes;
using ops::slot_bytes;

/// Whether the text of keys stays where it is until all groups are written, and with them: not that
/// of windows, nor of the records themselves.
inline bool key_text_stays(const run_context& context, const group_params& params) {
  return !context.in_windows && !params.keys_in_records;
}

/// What numbers or codes the keys of a grouping, which are strings.
template <typename Names>
std::unique_ptr<Names> names_of_keys(const run_context& context, const group_params& params) {
  using bytes = string_ids::bytes;
  return std::make_unique<Names>(context.memory, context.owner,
                                 key_text_stays(context, params) ? bytes::stay : bytes::are_copied);
}

/// What becomes of keys that are strings: one of both is asked, or they stay.
struct string_keys {
  string_ids* ids = nullptr;     ///< numbers them
  coded_texts* codes = nullptr;  ///< has codes of them
  late_rows* late = nullptr;     ///< takes rows whose keys have no code; null: all have
  bool in_batches = false;       ///< loops don't code keys themselves; so where rows may be late
};

/// A worker's, for loops that code keys which are strings; null: these are others.
inline std::unique_ptr<coded_texts::worker> coder_of(const group_params& params,
                                                     const string_keys& strings) {
  if (strings.codes == nullptr) return nullptr;
  return std::make_unique<coded_texts::worker>(*strings.codes, !params.keys_in_records);
}

/// Rows extracted by one worker, a batch at a time. Keys arrive as bits, strings as their ids or
/// codes.
class group_feeder : detail::group_batch {
 public:
  using group_batch::goes;

  group_feeder(const run_context& context, const group_params& params, string_keys strings);

  /// Calls f(keys, values, n) for rows [begin, end) of the window, in order, n <= 512. Where it may
  /// stop it does once they prove slow, and returns those that are left.
  template <typename F>
  slow_rows feed(std::int64_t begin, std::int64_t end, bool may_stop, F&& f) {
    consumer_ = const_cast<void*>(static_cast<const void*>(&f));
    consume_ = [](void* consumer, const std::byte* bits, const std::byte* values, std::size_t n) {
      (*static_cast<std::remove_reference_t<F>*>(consumer))(bits, values, n);
    };
    return for_each_fast_block(context_, begin, end, may_stop, [&](const detail::block_args& args) {
      params_.extract(context_.node.stage.element.get(), args, *this);
    });
  }

 private:
  void hand_on(const std::byte* values, std::size_t n);
  void hand_on_coded(const std::string_view* names, const std::byte* values, std::size_t n);

  const run_context& context_;
  const group_params& params_;
  string_keys strings_;
  string_ids::recent recent_strings_;
  std::optional<coded_texts::worker> coder_;
  detail::buffer memory_;
  std::vector<std::uint32_t> ids_;
  std::vector<bits128> codes_;
  void* consumer_ = nullptr;
  void (*consume_)(void*, const std::byte*, const std::byte*, std::size_t) = nullptr;
};

/// Takes n rows: their keys as bits, and their values.
using row_taker =
    std::function<void(const std::byte* keys, const std::byte* values, std::size_t n)>;

/// For rows whose functions are slow: several workers extract them, and `take` is called on this
/// thread, in row order. Returns the rows that are left when they are fast again, or when memory to
/// keep them is short (then `row_ns` is 0).
slow_rows feed_slow_rows(const run_context& context, const group_params& params,
                         string_keys strings, const slow_rows& rest, const row_taker& take);

/// Calls take_block(block) for rows of the window in row order on this thread, and for those that
/// prove slow, unless nothing extracts them, take(keys, values, n).
template <typename TakeBlock>
void feed_block_by_block(const run_context& context, const group_params& params,
                         string_keys strings, slow_rows rows, const row_taker& take,
                         TakeBlock&& take_block) {
  bool may_share = params.extract != nullptr;
  for (; rows.any(); may_share = rows.row_ns > 0) {
    rows = for_each_fast_block(context, rows.begin, rows.end, may_share, take_block);
    if (rows.any()) rows = feed_slow_rows(context, params, strings, rows, take);
  }
}

/// Calls take(keys, values, n) for rows [begin, end) of the window in row order on this thread,
/// fast or slow.
template <typename F>
void feed_in_order(const run_context& context, const group_params& params, string_keys strings,
                   std::int64_t begin, std::int64_t end, F&& take) {
  group_feeder feeder(context, params, strings);
  bool may_share = true;
  for (slow_rows rest{begin, end}; rest.any(); may_share = rest.row_ns > 0) {
    rest = feeder.feed(rest.begin, rest.end, may_share, take);
    if (rest.any()) rest = feed_slow_rows(context, params, strings, rest, std::ref(take));
  }
}

/// Rows that are partitioned together: ranges for the workers, each within a leaf.
struct group_ranges {
  /// A leaf's rows among them.
  struct part {
    algorithms::group_leaf leaf;
    unsigned first, last;  ///< its ranges
    bool begins, ends;     ///< whether the leaf does
  };

  /// \param begin, end  numbered over the stage
  group_ranges(const run_context& context, std::int64_t begin, std::int64_t end,
               const algorithms::group_leaf_of& leaf_of);
  unsigned count() const { return static_cast<unsigned>(borders.size() - 1); }
  /// The number of the leaf that a range is in.
  std::int64_t leaf_of(unsigned range) const;

  std::vector<std::int64_t> borders;  ///< of ranges, numbered over the stage
  std::vector<part> parts;            ///< in the order of rows
};

/// Takes rows by partition: the store has those of each, range by range.
using partition_taker =
    std::function<void(const block_partition& store, const group_ranges& ranges)>;

using range_keys = std::function<string_keys(unsigned range, std::int64_t leaf)>;

/// Hands on rows [begin, end) of the window, numbered over the stage, as many at a time as
/// the store may hold.
/// \param strings  what becomes of the keys of a range, which is in the leaf of this number; where
///                 none of its rows are late, loops code the keys
void for_each_partitioned(const run_context& context, const group_params& params,
                          const range_keys& strings, std::int64_t begin, std::int64_t end,
                          const algorithms::group_leaf_of& leaf_of, unsigned partitions,
                          const partition_function& function, const partition_taker& take,
                          std::size_t store_bytes);
/// Such a number of bytes, for rows that are folded into tables.
/// \param table_bytes    of those of one leaf
/// \param missing_bytes  that all tables may yet take beside those that they have
std::size_t wanted_store_bytes(const detail::memory_source& memory, double table_bytes,
                               double missing_bytes);

/// A grouped reduction under way. Takes the rows window by window.
class group_run {
 public:
  virtual ~group_run() = default;
  virtual void take(run_context& context) = 0;
  /// Writes all groups to the output; of those that yield() writes, none.
  virtual void finish(run_context& context) = 0;
  /// Where the input came in windows, and groups may rest (ops::groups_may_rest): writes the next
  /// ones to the output, if there are any left.
  virtual void yield(run_context&) {}
};

std::unique_ptr<group_run> make_dense_group_run(run_context& context);
std::unique_ptr<group_run> make_hash_group_run(run_context& context);

}  // namespace pappus::cpu_ops
