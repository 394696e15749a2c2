// Puts values to the places that they name, and a filler to the others.
//
// Rows are written by all workers in any order: in a result each place has one value at most, so
// the order can't show. When some index was wrong, the rows are gone through again, in order and by
// one worker, and the first one that is wrong is told, whoever noticed it.
//
// The whole input is needed at once, though files could come in windows: of an index that is there
// twice both rows are told.
//
// Not here: a version for devices. Chunks of rows write all over the result, which would have to be
// in a device's memory as a whole, and a chunk that is run again, for less memory or by the CPU,
// would find its places taken.
#include "pappus/detail/loops/scatter.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/shared_rows.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {
namespace {

using detail::scatter_params;
using detail::scatter_places;

class scattering {
 public:
  explicit scattering(run_context& context)
      : context_(context),
        params_(context.node.as<scatter_params>()),
        element_(context.node.stage.element.get()),
        records_(context.memory, static_cast<std::size_t>(params_.extent) * context.node.out.size,
                 context.owner),
        taken_(context.memory, static_cast<std::size_t>(params_.extent), context.owner),
        places_{records_.data(), taken_.as<std::uint8_t>(),
                static_cast<std::uint64_t>(params_.extent), records_.size() > near_bytes} {}

  void run() {
    clear();
    if (!write() || fill_up() != context_.rows) throw_first_mistake();
    append_buffer(*context_.output, std::move(records_), params_.extent);
  }

 private:
  /// Larger results are prefetched before they are written.
  static constexpr std::size_t near_bytes = std::size_t{512} << 10;
  /// Places that are cleared or filled up together.
  static constexpr std::int64_t piece_places = 1 << 16;

  /// f(begin, end) for pieces of [0, n), on all workers.
  template <typename F>
  void for_pieces(std::int64_t n, std::int64_t piece, F&& f) {
    detail::parallel_chunks(context_.team, static_cast<std::size_t>(detail::ceil_div(n, piece)),
                            [&](std::size_t item, unsigned) {
                              const auto begin = static_cast<std::int64_t>(item) * piece;
                              f(begin, std::min(begin + piece, n));
                            });
  }

  void clear() {
    for_pieces(params_.extent, piece_places, [&](std::int64_t begin, std::int64_t end) {
      std::memset(places_.taken + begin, 0, static_cast<std::size_t>(end - begin));
    });
  }

  /// False if some row's index is no place.
  bool write() {
    std::atomic<bool> fine{true};
    const auto some = [&](std::int64_t begin, std::int64_t end) {
      return for_each_fast_block(context_, begin, end, true, [&](const detail::block_args& args) {
        if (fine.load(std::memory_order_relaxed) && !params_.write(element_, args, places_))
          fine.store(false, std::memory_order_relaxed);
      });
    };
    for_pieces(context_.rows, context_.morsel_rows, [&](std::int64_t begin, std::int64_t end) {
      spread_rows(context_, begin, end, some);
    });
    return fine;
  }

  /// Fills the places that no row took; returns how many are taken.
  std::int64_t fill_up() {
    std::atomic<std::int64_t> taken{0};
    for_pieces(params_.extent, piece_places, [&](std::int64_t begin, std::int64_t end) {
      taken += params_.fill_up(params_.fill.get(), places_, static_cast<std::uint64_t>(begin),
                               static_cast<std::uint64_t>(end));
    });
    return taken;
  }

  /// f(row, index) for all rows, in order, until it returns false.
  template <typename F>
  void for_each_index(F&& f) {
    std::int64_t indices[detail::block_rows_max];
    bool going = true;
    for (std::int64_t begin = 0; begin < context_.rows && going; begin += detail::block_rows_max)
      for_each_block(context_, begin, std::min(begin + detail::block_rows_max, context_.rows),
                     [&](const detail::block_args& args) {
                       if (going) params_.indices(element_, args, indices);
                       for (std::int64_t i = 0; i < args.rows && going; ++i)
                         going = f(args.row + i, static_cast<std::uint64_t>(indices[i]));
                     });
  }

  void throw_first_mistake() {
    clear();
    const auto extent = places_.extent;
    std::int64_t wrong = -1;
    std::uint64_t index = 0;
    for_each_index([&](std::int64_t row, std::uint64_t at) {
      if (at < extent && places_.taken[at] == 0) {
        places_.taken[at] = 1;
        return true;
      }
      wrong = row;
      index = at;
      return false;
    });
    if (context_.team.stopping()) return;
    if (wrong < 0)
      throw usage_error(
          "scatter: the index function returned other indices when it was called again");
    if (index >= extent)
      throw usage_error(fmt::format(
          "scatter: row {} has the index {}, expected 0 <= index < {}; filter such rows out, or "
          "let the result have more records",
          wrong, text_of(index), extent));
    std::int64_t first = -1;
    for_each_index([&](std::int64_t row, std::uint64_t at) {
      if (at == index) first = row;
      return at != index;
    });
    if (context_.team.stopping()) return;
    throw usage_error(fmt::format(
        "scatter: rows {} and {} have the index {}, expected each index in one row; group_by "
        "combines rows of one index",
        first, wrong, text_of(index)));
  }

  std::string text_of(std::uint64_t index) const {
    return params_.unsigned_indices ? std::to_string(index)
                                    : std::to_string(static_cast<std::int64_t>(index));
  }

  run_context& context_;
  const scatter_params& params_;
  const void* element_;
  detail::buffer records_, taken_;
  scatter_places places_;
};

void scatter(run_context& context) {
  for (const auto& input : context.inputs) context.output->keep_text_of(*input);
  scattering(context).run();
}

constexpr phase scatter_phases[] = {
    {"scatter", phase::kind::launch, phase::when::each_window, scatter},
};

}  // namespace

const cpu_operator& scatter_on_cpu() {
  static constexpr cpu_operator made{scatter_phases};
  return made;
}

}  // namespace pappus::cpu_ops
