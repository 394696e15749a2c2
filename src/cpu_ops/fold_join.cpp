// Left records are partitioned by the regions of the join's index, as many at a time as memory
// allows, and each partition is joined and reduced while its region is in a core's cache.
//
// Problem: an index that is larger than the caches has a line, and often a page, that nobody has
// looked at for each left record. Fetching ahead hides the lines' latency and not the pages': on a
// virtual machine (Zen 4, index of 32 MB and right rows of 16 MB) looking records up as they come
// takes 3.2 times as long as by hand, and 1.75 times in the order of regions. Where pages don't
// matter (Zen 5, 32 MB of last cache) the two take the same time.
//
// Alternatives: right rows in the order of regions, too: a tenth of looking up, about what their
// order costs. Lists of pairs from the look-up itself, without counts: slower in and out of caches.
//
// Not here: where a record's row must be known (errors: the ordinary way finds it again), reducers
// that mind the order.
#include "cpu_ops/fold_join.h"

#include <algorithm>
#include <vector>

#include "algorithms/join_index.h"
#include "algorithms/partition.h"
#include "cpu_ops/blocks.h"
#include "ops/fold.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using algorithms::block_partition;
using detail::fold_params;

// Left records that are partitioned at a time: by so many there are several for each cache line of
// a region.
constexpr std::int64_t rows_per_right_row = 16;
constexpr std::int64_t ranges_per_worker = 4;
constexpr std::size_t large_region = 4;  // times as many records as a region has on average

class region_fold {
 public:
  region_fold(const run_context& context, const algorithms::join_table& table)
      : context_(context),
        params_(context.node.as<fold_params>()),
        stride_(ops::fold_state_bytes(params_.reducer)),
        table_(table),
        bits_(table.as_it_lies().region_bits),
        states_(context.memory, context.team.count() * stride_, context.owner) {
    for (unsigned worker = 0; worker < context.team.count(); ++worker)
      params_.reducer.init(params_.reducer.context.get(), state_of(worker));
  }

  /// Rows [begin, end) of the window.
  void take(std::int64_t begin, std::int64_t end) {
    const auto ranges = static_cast<unsigned>(
        std::min(ranges_per_worker * context_.team.count(), detail::ceil_div(end - begin, 65536)));
    block_partition store(context_.memory, ranges, 1u << bits_, by_region().left_bytes, 0,
                          static_cast<std::size_t>(end - begin), context_.owner);
    detail::parallel_chunks(context_.team, ranges, [&](std::size_t range, unsigned) {
      const auto border = [&](std::size_t number) {
        return begin + (end - begin) * static_cast<std::int64_t>(number) / ranges;
      };
      partition(store, static_cast<unsigned>(range), border(range), border(range + 1));
    });
    const auto pieces = pieces_of(store, ranges);
    detail::parallel_chunks(context_.team, pieces.size(), [&](std::size_t item, unsigned worker) {
      fold(store, pieces[item], state_of(worker));
    });
  }

  void add_to(std::byte* state) {
    for (unsigned worker = 0; worker < context_.team.count(); ++worker)
      params_.reducer.merge(params_.reducer.context.get(), state, state_of(worker));
  }

 private:
  const detail::region_loops& by_region() const { return params_.by_region; }
  std::byte* state_of(unsigned worker) { return states_.data() + worker * stride_; }

  void partition(block_partition& store, unsigned range, std::int64_t begin, std::int64_t end) {
    auto buffers = store.buffers(range, 64 - bits_);
    for_each_block(context_, begin, end, [&](const detail::block_args& args) {
      by_region().partition(context_.node.stage.element.get(), args, buffers);
    });
    store.close(range);
  }

  /// What one worker folds: the records of a region in some ranges.
  struct piece {
    unsigned region, first, last;
  };

  /// A region is a piece; one that has far more records than others, as where many have one key, is
  /// a piece a range.
  static std::vector<piece> pieces_of(const block_partition& store, unsigned ranges) {
    std::vector<std::size_t> sizes(store.partitions());
    std::size_t all = 0;
    for (unsigned region = 0; region < sizes.size(); ++region)
      all += sizes[region] = store.size(region);
    std::vector<piece> pieces;
    for (unsigned region = 0; region < sizes.size(); ++region) {
      const bool large = sizes[region] > large_region * all / sizes.size();
      const unsigned step = large ? 1 : ranges;
      for (unsigned first = 0; first < ranges; first += step)
        pieces.push_back({region, first, first + step});
    }
    return pieces;
  }

  void fold(const block_partition& store, const piece& part, std::byte* state) {
    table_.fetch(part.region);
    store.for_each(part.region, part.first, part.last, [&](const block_partition::rows& rows) {
      const auto n = static_cast<std::int64_t>(rows.n);
      if (rows.next != nullptr)
        for (std::size_t at = 0; at < rows.n * by_region().left_bytes; at += 64)
          __builtin_prefetch(rows.next + at, 0, 2);  // while these are folded
      for (std::int64_t at = 0; at < n; at += detail::block_rows_max) {
        if (context_.team.stopping()) return;
        const std::byte* const input = rows.keys + at * by_region().left_bytes;
        by_region().loop(by_region().element.get(),
                         {.inputs = &input,
                          .sides = context_.sides.data(),
                          .rows = std::min(n - at, detail::block_rows_max),
                          .team = &context_.team},
                         state);
      }
    });
  }

  const run_context& context_;
  const fold_params& params_;
  std::size_t stride_;
  const algorithms::join_table& table_;
  unsigned bits_;
  detail::buffer states_;  // of each worker
};

/// The index's table, if left records are better looked up in its order.
const algorithms::join_table* table_worth_it(const run_context& context) {
  const auto& by_region = context.node.as<fold_params>().by_region;
  if (by_region.partition == nullptr) return nullptr;
  const auto& side = context.sides[static_cast<std::size_t>(by_region.side)];
  const auto& index = *static_cast<const algorithms::join_index*>(
      static_cast<const detail::join_side*>(side.data)->index);
  if (!index.table || context.rows < static_cast<std::int64_t>(index.rows)) return nullptr;
  const auto table = index.table->as_it_lies();
  const bool ordered = table.domain.size == 0 && table.seed == 0 && table.region_bits > 0;
  return ordered && table.index.size() >= ordered_index_bytes ? &*index.table : nullptr;
}

}  // namespace

bool fold_by_region(const run_context& context, std::byte* state) {
  const auto* const table = table_worth_it(context);
  if (table == nullptr) return false;
  const auto& by_region = context.node.as<fold_params>().by_region;
  const auto most =
      static_cast<std::int64_t>(context.memory.available() / 4 / by_region.left_bytes);
  const auto at_once =
      std::min(most, rows_per_right_row * static_cast<std::int64_t>(table->rows()));
  if (at_once < static_cast<std::int64_t>(table->rows())) return false;
  try {
    region_fold fold(context, *table);
    for (std::int64_t begin = 0; begin < context.rows; begin += at_once)
      fold.take(begin, std::min(begin + at_once, context.rows));
    fold.add_to(state);
    return true;
  } catch (...) {
    if (context.team.stopping()) throw;
    return false;
  }
}

}  // namespace pappus::cpu_ops
