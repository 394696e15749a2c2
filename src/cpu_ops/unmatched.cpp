// What a full join yields behind its left records: those on the right without a match.
//
// The left side's keys are looked up once more in the index that the join has made of the right
// side, and a byte is set for each row that has a match; the rows without are copied, in order. All
// workers set bytes, and only to 1.
//
// A key of many rows is marked once: whoever finds its first row unmarked marks all of them, the
// first one last. So a key that matches nearly everything doesn't make this quadratic.
//
// Alternatives: marking while the join's own probe runs, which saves the second look-up, but gives
// a probe that may be fused into anything a side effect on a later node; an index of the left side,
// in which right's keys are looked up (an anti join): to build one takes longer than to look up in
// one, and needs memory for the left side, which is the larger one where users follow advice. It is
// planned in place of this where memory may have no room for the right side (plan/instead.cpp).
#include <algorithm>
#include <cstring>
#include <vector>

#include "algorithms/join_index.h"
#include "algorithms/rows_in.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/shared_rows.h"
#include "ops/implementations.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::join_batch;
using detail::unmatched_params;

constexpr std::int64_t right_piece_rows = 1 << 16;

void set_mark(std::uint8_t* mark) { __atomic_store_n(mark, std::uint8_t{1}, __ATOMIC_RELAXED); }

/// A byte for each row of the right side.
struct marks {
  detail::buffer bytes;
  std::uint8_t* of(std::uint64_t row) const { return bytes.as<std::uint8_t>() + row; }

  /// Marks the rows that the records of a batch match.
  void set_for(const join_index& index, const join_batch& batch) const {
    for (std::size_t i = 0; i < batch.rows; ++i) {
      const std::uint64_t count = batch.all_once ? 1 : batch.count[i];
      if (count == 1) {
        set_mark(of(batch.first[i]));
      } else if (count > 1) {
        auto* const first = of(index.table->row(batch.first[i]));
        if (__atomic_load_n(first, __ATOMIC_RELAXED) != 0) continue;
        for (std::uint64_t k = count; k-- > 0;) set_mark(of(index.table->row(batch.first[i] + k)));
      }
    }
  }
};

std::int64_t right_rows(const run_context& context) { return context.sides[1].count; }

/// None is set at first.
const marks& marks_of(run_context& context) {
  if (context.state == nullptr) {
    auto made = std::make_shared<marks>();
    made->bytes = detail::buffer(context.memory, static_cast<std::size_t>(right_rows(context)),
                                 context.owner);
    if (made->bytes.size() > 0) std::memset(made->of(0), 0, made->bytes.size());
    context.state = std::move(made);
  }
  return *static_cast<const marks*>(context.state.get());
}

void mark_matches(run_context& context) {
  const auto& params = context.node.as<unmatched_params>();
  const auto& side = *static_cast<const detail::join_side*>(context.sides[0].data);
  const auto& index = *static_cast<const join_index*>(side.index);
  const auto& seen = marks_of(context);
  if (right_rows(context) == 0) return;
  const auto look_up = [&](std::int64_t begin, std::int64_t end) {
    alignas(std::max_align_t) std::byte keys[16 * detail::block_rows_max];
    return for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
      detail::out_rows out{.cursor = keys};
      params.loop(context.node.stage.element.get(), args, out);
      join_batch batch;
      for (std::int64_t at = 0; at < args.rows; at += join_batch::rows_max) {
        const auto n = std::min(static_cast<std::size_t>(args.rows - at), join_batch::rows_max);
        detail::join_probe(side, detail::join_kind::semi,
                           keys + static_cast<std::size_t>(at) * params.keys.bytes, n, batch);
        seen.set_for(index, batch);
      }
    });
  };
  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(detail::ceil_div(context.rows, context.morsel_rows)),
      [&](std::size_t item, unsigned) {
        const auto begin = static_cast<std::int64_t>(item) * context.morsel_rows;
        spread_rows(context, begin, std::min(begin + context.morsel_rows, context.rows), look_up);
      });
}

/// f(piece, begin, end) for pieces of the right side's rows, on all workers.
template <typename F>
void for_right_pieces(run_context& context, F&& f) {
  const std::int64_t rows = right_rows(context);
  detail::parallel_chunks(context.team,
                          static_cast<std::size_t>(detail::ceil_div(rows, right_piece_rows)),
                          [&](std::size_t item, unsigned) {
                            const auto begin = static_cast<std::int64_t>(item) * right_piece_rows;
                            f(item, begin, std::min(begin + right_piece_rows, rows));
                          });
}

void copy_unmatched(run_context& context) {
  const std::int64_t rows = right_rows(context);
  if (rows == 0) return;
  const std::uint8_t* const seen = marks_of(context).of(0);
  std::vector<std::int64_t> first(
      static_cast<std::size_t>(detail::ceil_div(rows, right_piece_rows)) + 1);
  for_right_pieces(context, [&](std::size_t piece, std::int64_t begin, std::int64_t end) {
    first[piece + 1] = std::count(seen + begin, seen + end, std::uint8_t{0});
  });
  for (std::size_t piece = 1; piece < first.size(); ++piece) first[piece] += first[piece - 1];
  const std::size_t size = context.node.out.size;
  const auto* const from = static_cast<const std::byte*>(context.sides[1].data);
  detail::buffer records(context.memory, static_cast<std::size_t>(first.back()) * size,
                         context.owner);
  for_right_pieces(context, [&](std::size_t piece, std::int64_t begin, std::int64_t end) {
    std::byte* to = records.data() + static_cast<std::size_t>(first[piece]) * size;
    for (std::int64_t row = begin; row < end; ++row) {
      if (seen[row] != 0) continue;
      std::memcpy(to, from + static_cast<std::size_t>(row) * size, size);
      to += size;
    }
  });
  append_buffer(*context.output, std::move(records), first.back());
}

constexpr phase unmatched_phases[] = {
    {"mark matches", phase::kind::launch, phase::when::each_window, mark_matches},
    {"copy the others", phase::kind::launch, phase::when::at_end, copy_unmatched},
};

}  // namespace

const cpu_operator& unmatched_on_cpu() {
  static constexpr cpu_operator made{unmatched_phases};
  return made;
}

}  // namespace pappus::cpu_ops
