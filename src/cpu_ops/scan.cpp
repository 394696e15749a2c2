// Running totals in a single pass over memory.
//
// Problem: the textbook parallel scan reads its input twice, once for the totals of the parts and
// once for the scan; memory is what limits it.
//
// Idea: rows are cut into tiles that fit a core's L2. A worker goes through its tile once, waits
// for the total of all tiles before it, adds its own and passes it on at once, then writes the
// tile's records from cache (Merrill and Garland's decoupled look-back, 2016, with a look-back of
// one: there are few workers). Tiles are started in ascending order, so whoever is waited for is at
// work, and the wait ends; while one worker reads, another writes.
//
// A worker whose element function throws never passes its total on: it says so, and those who wait
// give up. So they do when the query is cancelled.
//
// Rows that come in windows are cut into tiles at the same places, wherever windows end: a tile
// that goes on in the next window is left open, with its total so far.
//
// Alternatives: two passes; scanning all tiles and adding offsets afterwards (a third crossing of
// memory).
#include "pappus/detail/loops/scan.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "algorithms/rows_in.h"
#include "algorithms/stretches.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/shared_rows.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::scan_output;
using detail::scan_params;

constexpr std::size_t line = 64;

std::size_t padded(std::size_t bytes) { return detail::round_up(bytes, line); }

/// What the next window needs of those before it.
class scan_totals {
 public:
  explicit scan_totals(const run_context& context)
      : owners(context.node.out),
        bytes_(padded(context.node.as<scan_params>().value_bytes)),
        memory_(context.memory, 3 * bytes_, context.owner) {
    const auto& params = context.node.as<scan_params>();
    any = params.initial != nullptr;
    if (any)
      std::memcpy(all(), params.initial.get(), params.value_bytes);
    else if (params.carries)
      std::memset(all(), 0, params.value_bytes);
  }
  std::byte* all() const { return memory_.data(); }               ///< of all rows so far
  std::byte* before() const { return memory_.data() + bytes_; }   ///< of rows before the open tile
  std::byte* own() const { return memory_.data() + 2 * bytes_; }  ///< of rows of the open tile
  bool any = false;                                               ///< all() has a value
  bool any_before = false;                                        ///< before() has one
  bool open = false;                                              ///< the last tile goes on
  detail::row_set owners;  ///< no rows: what totals of windows before may point to

 private:
  std::size_t bytes_;
  detail::buffer memory_;
};

class scanning {
 public:
  /// \param totals  of the rows before the window; of those with it when run() is done.
  scanning(run_context& context, scan_totals& totals, std::byte* records)
      : context_(context),
        params_(context.node.as<scan_params>()),
        element_(context.node.stage.element.get()),
        records_(records),
        totals_(totals),
        first_tile_(context.first_row / params_.tile_rows),
        past_caches_(static_cast<std::size_t>(context.rows) * params_.value_bytes >
                     detail::streamed_beyond_bytes),
        scratch_(context.team.count()) {}

  void run() {
    const auto end = detail::ceil_div(context_.first_row + context_.rows, params_.tile_rows);
    const auto tiles = static_cast<std::size_t>(end - first_tile_);
    detail::parallel_chunks(context_.team, tiles, [&](std::size_t item, unsigned worker) {
      try {
        scan_tile(static_cast<std::int64_t>(item), scratch_of(worker));
      } catch (...) {
        failed_.store(true, std::memory_order_release);
        throw;
      }
    });
  }

 private:
  /// A worker's own: the tile's total, what comes before the tile, and the tile's values, in front
  /// of which there is room for one more.
  struct scratch {
    detail::buffer memory;
    std::byte *own = nullptr, *before = nullptr, *values = nullptr;
    bool continues = false;  ///< the tile began in a window before
  };

  scratch& scratch_of(unsigned worker) {
    auto& s = scratch_[worker];
    if (s.own == nullptr) {
      const std::size_t value = padded(params_.value_bytes);
      const auto rows = static_cast<std::size_t>(std::min(params_.tile_rows, context_.rows));
      s.memory = detail::buffer(context_.memory, 3 * value + rows * params_.buffered_bytes,
                                context_.node.name);
      s.own = s.memory.data();
      s.before = s.own + value;
      s.values = s.before + 2 * value;
    }
    return s;
  }

  void scan_tile(std::int64_t item, scratch& s) {
    const std::int64_t tile_begin = (first_tile_ + item) * params_.tile_rows - context_.first_row,
                       begin = std::max<std::int64_t>(tile_begin, 0),
                       end = std::min(tile_begin + params_.tile_rows, context_.rows);
    // Sums of integers may be cut anywhere.
    s.continues = tile_begin < 0 && totals_.open && !params_.carries;
    if (s.continues) {
      std::memcpy(s.own, totals_.own(), params_.value_bytes);
      std::memcpy(s.values - params_.value_bytes, s.own, params_.value_bytes);
    }
    const bool may_share = params_.buffered_bytes != 0;  // else there is no function
    const auto rest =
        for_each_fast_block(context_, begin, end, may_share, [&](const detail::block_args& args) {
          params_.accumulate(element_, args, output(begin, args, s), s.own);
        });
    if (rest.any()) accumulate_slow_rows(begin, rest, s);
    if (!wait_for_turn(item)) return;
    const bool any_before = take_turn(s, end < tile_begin + params_.tile_rows);
    turn_.store(item + 1, std::memory_order_release);

    for_each_block(context_, begin, end, [&](const detail::block_args& args) {
      params_.write(element_, args, output(begin, args, s), any_before ? s.before : nullptr);
    });
  }

  /// Adds the tile's total to that of all, and finds what comes before the tile. False: nothing.
  /// \param goes_on  in the next window.
  bool take_turn(scratch& s, bool goes_on) {
    const bool any_before = s.continues ? totals_.any_before : totals_.any || params_.carries;
    if (any_before)
      std::memcpy(s.before, s.continues ? totals_.before() : totals_.all(), params_.value_bytes);
    if (any_before)
      params_.combine(element_, s.before, s.own, totals_.all());
    else
      std::memcpy(totals_.all(), s.own, params_.value_bytes);
    totals_.any = true;
    totals_.open = goes_on;
    if (!goes_on) return any_before;
    std::memcpy(totals_.own(), s.own, params_.value_bytes);
    if (any_before) std::memcpy(totals_.before(), s.before, params_.value_bytes);
    totals_.any_before = any_before;
    return any_before;
  }

  /// The tile's values by several workers: each as if it were a tile of its own, which leaves it in
  /// the buffer. Then they are run together as a tile's loop does.
  void accumulate_slow_rows(std::int64_t tile_begin, const slow_rows& rest, scratch& s) {
    const std::size_t value = padded(params_.value_bytes), stride = params_.buffered_bytes;
    const auto compute = [&](std::int64_t first, std::int64_t last) {
      const detail::buffer total(context_.memory, value, context_.node.name);
      return for_each_fast_block(context_, first, last, true, [&](const detail::block_args& args) {
        for_each_row(args, [&](const detail::block_args& one) {
          auto to = output(tile_begin, one, s);
          to.first_block = true;
          params_.accumulate(element_, one, to, total.data());
        });
      });
    };
    spread_slow_rows(context_, rest, compute);
    const detail::buffer memory(context_.memory, value, context_.node.name);
    std::byte* const next = memory.data();
    for_each_stretch(context_.team, rest.begin, rest.end, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t row = from; row < to; ++row) {
        std::byte* const own = s.values + static_cast<std::size_t>(row - tile_begin) * stride;
        params_.combine(element_, s.own, own, next);
        std::memcpy(s.own, next, params_.value_bytes);
        if (!params_.carries) std::memcpy(own, next, params_.value_bytes);
      }
    });
  }

  /// f(block of one row) for the rows of a block.
  template <typename F>
  void for_each_row(const detail::block_args& args, F&& f) const {
    std::vector<const std::byte*> inputs(args.inputs, args.inputs + context_.inputs.size());
    detail::block_args one = args;
    one.inputs = inputs.data();
    one.rows = 1;
    for (std::int64_t i = 0; i < args.rows; ++i, ++one.row) {
      f(one);
      for (std::size_t k = 0; k < inputs.size(); ++k)
        inputs[k] += context_.inputs[k]->layout().size;
    }
  }

  scan_output output(std::int64_t tile_begin, const detail::block_args& args,
                     const scratch& s) const {
    const std::int64_t row = args.row - context_.first_row;
    return {
        .records = records_ + static_cast<std::size_t>(row) * params_.value_bytes,
        .buffer = s.values + static_cast<std::size_t>(row - tile_begin) * params_.buffered_bytes,
        .first_block = row == tile_begin && !s.continues,
        .past_caches = past_caches_};
  }

  /// False when the query is to stop.
  bool wait_for_turn(std::int64_t tile) const {
    for (int polls = 0; turn_.load(std::memory_order_acquire) != tile; ++polls) {
      if (failed_.load(std::memory_order_acquire) || context_.team.stopping()) return false;
      // More workers than cores, or the tile before has slow rows.
      if (polls > 1000 && !context_.team.help()) std::this_thread::yield();
    }
    return !context_.team.stopping();
  }

  run_context& context_;
  const scan_params& params_;
  const void* element_;
  std::byte* records_;
  scan_totals& totals_;  // of all tiles before turn_; belong to whose turn it is
  std::int64_t first_tile_;
  bool past_caches_;
  std::vector<scratch> scratch_;
  std::atomic<std::int64_t> turn_{0};
  std::atomic<bool> failed_{false};
};

void scan(run_context& context) {
  for (const auto& input : context.inputs) context.output->keep_text_of(*input);
  if (context.rows == 0) return;
  detail::buffer records(context.memory,
                         static_cast<std::size_t>(context.rows) * context.node.out.size,
                         context.owner);
  if (!context.state) context.state = std::make_shared<scan_totals>(context);
  auto& totals = *std::static_pointer_cast<scan_totals>(context.state);
  totals.owners.keep_text_of(*context.output);
  context.output->keep_owners_of(totals.owners);
  scanning(context, totals, records.data()).run();
  append_buffer(*context.output, std::move(records), context.rows);
}

constexpr phase scan_phases[] = {
    {"scan tiles", phase::kind::launch, phase::when::each_window, scan},
};

}  // namespace

const cpu_operator& scan_on_cpu() {
  static constexpr cpu_operator made{scan_phases};
  return made;
}

}  // namespace pappus::cpu_ops
