// Hands rows that take long to whoever has time.
//
// Operators cut their rows into items of thousands: that suits functions of nanoseconds. Where rows
// prove slow (pace.h), what is left of an item is cut into pieces of about 200 us, a row each where
// rows take longer, and workers that would be idle take part. Pieces never decide about a result:
//   - what has its place (a record of a map, a key to sort) is written to it in any order:
//     spread_rows();
//   - what depends on order (a reducer, a stable partition) gets its values from pieces and takes
//     them in row order: take_in_order(). So the bits are those of the fast way.
//
// Pieces go out in rounds, because the first rows of a function may take long (static variables,
// cold caches) and the others not: when a round was fast, the item goes on alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "cpu_ops/blocks.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"

namespace pappus::cpu_ops {

/// The pieces of one round.
class shared_round {
 public:
  shared_round(const run_context& context, const slow_rows& rest)
      : context_(context), begin_(rest.begin) {
    const std::int64_t workers = context.team.count(), rows = rest.end - rest.begin;
    const auto fitting = static_cast<std::int64_t>(pace::piece_ns / std::max(rest.row_ns, 1.0));
    const std::int64_t least = context.node.stage.batched ? batched_rows : 1;
    per_piece_ = std::max(std::min(fitting, rows / (4 * workers)), least);
    end_ = begin_ + std::min(rows, per_piece_ * 16 * workers);
  }

  std::size_t count() const {
    return static_cast<std::size_t>(detail::ceil_div(end_ - begin_, per_piece_));
  }
  std::int64_t end() const { return end_; }
  std::int64_t begin_of(std::size_t piece) const {
    return begin_ + static_cast<std::int64_t>(piece) * per_piece_;
  }
  std::int64_t end_of(std::size_t piece) const {
    return std::min(begin_of(piece) + per_piece_, end_);
  }

  /// f(piece) for all pieces, by several workers. What rows took, ns each.
  template <typename F>
  double run(F&& f) {
    using clock = std::chrono::steady_clock;
    std::atomic<std::int64_t> ns{0};
    auto body = [&](std::size_t piece, unsigned) {
      const auto begun = clock::now();
      f(piece);
      ns += std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begun).count();
    };
    context_.team.share(count(), detail::call_body<decltype(body)>, &body);
    if (const auto pretended = pretended_row_ns.load(std::memory_order_relaxed)) [[unlikely]]
      return pretended(context_.first_row + begin_);
    return static_cast<double>(ns) / static_cast<double>(end_ - begin_);
  }

 private:
  const run_context& context_;
  std::int64_t begin_, end_ = 0, per_piece_ = 1;
};

template <typename F>
void spread_rows(const run_context& context, std::int64_t begin, std::int64_t end, F&& f);

/// For rows that proved slow: the same, several workers from the first of them on.
template <typename F>
void spread_slow_rows(const run_context& context, slow_rows rest, F&& f) {
  while (rest.any()) {
    if (rest.row_ns < pace::slow_row_ns) {
      rest = f(rest.begin, rest.end);
      continue;
    }
    shared_round round(context, rest);
    rest.row_ns = round.run([&](std::size_t piece) {
      spread_rows(context, round.begin_of(piece), round.end_of(piece), f);
    });
    rest.begin = round.end();
  }
}

/// f(begin, end) handles rows of the window, in any order and by several workers once they prove
/// slow; it returns those that it leaves.
template <typename F>
void spread_rows(const run_context& context, std::int64_t begin, std::int64_t end, F&& f) {
  if (begin < end) spread_slow_rows(context, f(begin, end), f);
}

/// Thrown where what pieces keep until their turn is too much.
struct too_much_to_keep {};

/// For rows that proved slow: compute(Piece&, begin, end), by several workers, then
/// take(Piece&, begin, end) one after the other in row order. Stops when rows are fast again, or
/// when take() returns false; returns the rows that are left then.
template <typename Piece, typename Compute, typename Take>
slow_rows take_in_order(const run_context& context, slow_rows rest, Compute&& compute,
                        Take&& take) {
  while (rest.any() && rest.row_ns >= pace::slow_row_ns) {
    shared_round round(context, rest);
    std::vector<Piece> found(round.count());
    rest.row_ns = round.run([&](std::size_t piece) {
      compute(found[piece], round.begin_of(piece), round.end_of(piece));
    });
    for (std::size_t piece = 0; piece < found.size(); ++piece) {
      rest.begin = round.end_of(piece);
      if (!take(found[piece], round.begin_of(piece), rest.begin)) return rest;
    }
  }
  return rest;
}

}  // namespace pappus::cpu_ops
