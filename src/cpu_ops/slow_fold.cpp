// Each piece of rows keeps its values in memory of its own until its turn comes. That may be short,
// or a row may yield very many of them: then such a piece's rows are folded as if they were fast,
// and so is the rest of the leaf. So a query that fits isn't refused because it is slow.
//
// Records of a stage that keeps some rows only are added to the lane of their row. Where there are
// several, such a stage is called with one row after another, to know whose value came out.
#include "cpu_ops/slow_fold.h"

#include <cstring>
#include <utility>

#include "base/memory_scale.h"

namespace pappus::cpu_ops {
namespace {

using detail::fold_params;

/// Of one piece.
constexpr std::size_t value_bytes_max = std::size_t{4} << 20;

/// Whether lanes follow rows. A reducer that has lanes itself counts the rows of a stage that keeps
/// all of them.
bool are_by_row(const detail::reduce_kernel& reducer, detail::cardinality yields) {
  return (yields == detail::cardinality::at_most_one && reducer.row_lanes > 1) ||
         (yields == detail::cardinality::one && reducer.lanes > 1);
}

/// A run of values.
struct values_block : detail::out_rows {
  detail::buffer memory;
  std::vector<std::uint8_t> lanes{};  // of each value; empty: they take turns, or there is one
};

class found_values {
 public:
  bool too_many() const { return too_many_; }
  const std::vector<values_block>& blocks() const { return blocks_; }

  void compute(const run_context& context, std::int64_t begin, std::int64_t end) try {
    for (slow_rows rest{begin, end}; rest.any() && !too_many_;) {
      values_sink out(context, *this);
      rest = for_each_fast_block(context, rest.begin, rest.end, true,
                                 [&](const detail::block_args& args) { out.take(args); });
      out.close();
      rest = take_in_order<found_values>(
          context, rest,
          [&](found_values& piece, std::int64_t first, std::int64_t last) {
            piece.compute(context, first, last);
          },
          [&](found_values& piece, std::int64_t, std::int64_t) {
            append(std::move(piece));
            return !too_many_;
          });
    }
  } catch (const memory_error&) {
    give_up();
  } catch (const too_much_to_keep&) {
    give_up();
  }

  void accumulate(const fold_params& params, std::byte* state) const {
    for (const auto& block : blocks_) {
      const auto bytes = static_cast<std::size_t>(block.cursor - block.memory.data());
      params.accumulate(block.memory.data(), block.lanes.empty() ? nullptr : block.lanes.data(),
                        static_cast<std::int64_t>(bytes / params.value_bytes), state);
    }
  }

 private:
  /// Where a loop writes.
  struct values_sink : detail::out_rows {
    const run_context& context;
    const fold_params& params;
    found_values& found;
    bool by_row;                        // lanes follow rows
    std::vector<std::uint8_t> lanes{};  // of the values in `memory`
    detail::buffer memory{};

    values_sink(const run_context& run, found_values& to)
        : context(run),
          params(run.node.as<fold_params>()),
          found(to),
          by_row(are_by_row(params.reducer, run.node.stage.yields)) {
      grow = [](detail::out_rows& self) { static_cast<values_sink&>(self).enlarge(); };
    }
    void enlarge() {
      const std::size_t before = memory.size();
      close();
      const std::size_t bytes = std::max<std::size_t>(
          before == 0 ? 16 * params.value_bytes : 4 * before, params.value_bytes);
      if ((found.bytes_ += bytes) > std::max(base::scaled(value_bytes_max), params.value_bytes))
        throw too_much_to_keep{};
      memory = detail::buffer(context.memory, bytes, context.owner);
      cursor = memory.data();
      end = cursor + bytes;
    }
    void close() {
      if (memory.data() != nullptr && cursor != memory.data()) {
        found.blocks_.emplace_back();
        auto& kept = found.blocks_.back();
        kept.memory = std::move(memory);
        kept.cursor = cursor;
        kept.lanes = std::exchange(lanes, {});
      }
      cursor = end = nullptr;
    }
    void take(const detail::block_args& args);
  };

  void append(found_values&& piece) {
    for (auto& block : piece.blocks_) blocks_.push_back(std::move(block));
    too_many_ |= piece.too_many_;
    bytes_ += piece.bytes_;
  }
  void give_up() {
    blocks_.clear();
    too_many_ = true;
  }

  std::vector<values_block> blocks_;
  std::size_t bytes_ = 0;
  bool too_many_ = false;
};

void found_values::values_sink::take(const detail::block_args& args) {
  const void* element = context.node.stage.element.get();
  if (!by_row) return params.values(element, args, *this);
  std::vector<const std::byte*> inputs(args.inputs, args.inputs + context.inputs.size());
  detail::block_args one = args;
  one.inputs = inputs.data();
  one.rows = 1;
  for (std::int64_t i = 0; i < args.rows; ++i, ++one.row) {
    const std::byte* const before = cursor;
    params.values(element, one, *this);
    if (cursor != before)
      lanes.push_back(static_cast<std::uint8_t>(one.row % params.reducer.row_lanes));
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] += context.inputs[k]->layout().size;
  }
}

/// Whether values saturate a reducer, whatever comes before and after them.
bool saturates(const run_context& context, const found_values& values) {
  const auto& params = context.node.as<fold_params>();
  const auto& reducer = params.reducer;
  if (reducer.saturated == nullptr) return false;
  const detail::buffer state(context.memory, reducer.state_size, context.owner);
  reducer.init(reducer.context.get(), state.data());
  values.accumulate(params, state.data());
  return reducer.saturated(state.data());
}

}  // namespace

slow_rows fold_slow_rows(const run_context& context, const slow_rows& rest, std::byte* state) {
  const auto& params = context.node.as<fold_params>();
  std::atomic<std::int64_t> needed{rest.end};  // pieces from here on can't change the state
  bool done = false, short_of_memory = false;
  auto left = take_in_order<found_values>(
      context, rest,
      [&](found_values& piece, std::int64_t begin, std::int64_t end) {
        if (begin >= needed.load(std::memory_order_relaxed)) return;
        piece.compute(context, begin, end);
        if (!saturates(context, piece)) return;
        auto last = needed.load(std::memory_order_relaxed);
        while (end < last && !needed.compare_exchange_weak(last, end)) {
        }
      },
      [&](found_values& piece, std::int64_t begin, std::int64_t end) {
        short_of_memory = piece.too_many();
        if (short_of_memory)
          for_each_block(context, begin, end, [&](const detail::block_args& args) {
            params.loop(context.node.stage.element.get(), args, state);
          });
        else
          piece.accumulate(params, state);
        done = params.reducer.saturated != nullptr && params.reducer.saturated(state);
        return !done && !short_of_memory;
      });
  if (done) return {rest.end, rest.end};
  if (short_of_memory) left.row_ns = 0;
  return left;
}

}  // namespace pappus::cpu_ops
