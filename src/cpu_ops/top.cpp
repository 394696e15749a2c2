// The rows with the greatest or least keys, without sorting the others.
//
// Workers keep candidates in buffers of their own, from window to window; the order of candidates
// is total (key, then row), so which worker saw which rows doesn't matter. At the end the
// candidates of all buffers are put together and sorted. Between windows, whose text goes with
// them, candidates have copies of theirs, if it is found.
#include "pappus/detail/loops/top.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/rows_in.h"
#include "algorithms/text_copies.h"
#include "base/owned.h"
#include "cpu_ops/contract.h"
#include "cpu_ops/shared_rows.h"
#include "ops/implementations.h"
#include "ops/top.h"
#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

using detail::top_params;

struct candidates {
  detail::buffer memory;
  detail::top_buffer buffer;
};

/// No more buffers than work at a time.
class top_state {
 public:
  candidates& take(const run_context& context) {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      const auto& params = context.node.as<top_params>();
      const auto capacity = ops::top_candidates_max(params);
      auto made = std::make_unique<candidates>();
      made->memory =
          detail::buffer(context.memory, static_cast<std::size_t>(capacity) * params.candidate.size,
                         context.owner);
      made->buffer = {made->memory.data(), 0, params.limit, capacity, false};
      return *all_.emplace_back(std::move(made));
    }
    auto& own = *idle_.back();
    idle_.pop_back();
    return own;
  }
  void give_back(candidates& own) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(&own);
  }
  const std::vector<std::unique_ptr<candidates>>& all() const { return all_; }

  /// Has candidates, of which only the best stay, point to text of their own.
  void copy_text(const run_context& context) {
    const auto& params = context.node.as<top_params>();
    const auto& candidate = params.candidate;
    algorithms::text_copies made(candidate, context.memory, context.owner);
    for (const auto& own : all_) {
      params.keep_best(own->buffer);
      for (std::int64_t i = 0; i < own->buffer.count; ++i)
        made.copy(own->buffer.candidates + static_cast<std::size_t>(i) * candidate.size);
    }
    text_ = made.take();
  }
  std::vector<detail::buffer> take_text() { return std::move(text_); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<candidates>> all_;
  std::vector<candidates*> idle_;
  std::vector<detail::buffer> text_;  // what candidates of windows before point to
};

void consider(run_context& context) {
  const auto& params = context.node.as<top_params>();
  if (!context.state) context.state = std::make_shared<top_state>();
  auto& state = *static_cast<top_state*>(context.state.get());
  if (context.in_windows ? context.node.op->keeps_text(context.node) : context.node.out.may_point())
    for (const auto& input : context.inputs) context.output->keep_owners_of(*input);
  if (params.limit == 0) return;
  const std::int64_t per_item = context.morsel_rows;
  const auto consider_rows = [&](std::int64_t begin, std::int64_t end) {
    auto& own = state.take(context);
    const auto rest =
        for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
          params.consider(context.node.stage.element.get(), args, own.buffer);
        });
    state.give_back(own);
    return rest;
  };
  detail::parallel_chunks(
      context.team, static_cast<std::size_t>(detail::ceil_div(context.rows, per_item)),
      [&](std::size_t item, unsigned) {
        const auto begin = static_cast<std::int64_t>(item) * per_item;
        spread_rows(context, begin, std::min(begin + per_item, context.rows), consider_rows);
      });
  if (context.in_windows && params.candidate.text == detail::text_in::views)
    state.copy_text(context);
}

void choose(run_context& context) {
  const auto& params = context.node.as<top_params>();
  auto& state = *static_cast<top_state*>(context.state.get());
  std::int64_t count = 0;
  for (const auto& own : state.all()) count += own->buffer.count;
  const std::int64_t chosen = std::min(count, params.limit);
  if (chosen == 0) return;
  detail::buffer all(context.memory, static_cast<std::size_t>(count) * params.candidate.size,
                     context.owner);
  std::byte* to = all.data();
  for (const auto& own : state.all()) {
    const std::size_t bytes = static_cast<std::size_t>(own->buffer.count) * params.candidate.size;
    if (bytes == 0) continue;
    std::memcpy(to, own->buffer.candidates, bytes);
    to += bytes;
  }
  detail::buffer records(context.memory, static_cast<std::size_t>(chosen) * context.node.out.size,
                         context.owner);
  params.finish(all.data(), count, chosen, records.data());
  append_buffer(*context.output, std::move(records), chosen);
  if (auto text = state.take_text(); !text.empty())
    context.output->keep(base::owned(std::move(text), context.memory_owner));
}

constexpr phase top_phases[] = {
    {"find candidates", phase::kind::launch, phase::when::each_window, consider},
    {"choose", phase::kind::reduce, phase::when::at_end, choose},
};

}  // namespace

const cpu_operator& top_on_cpu() {
  static constexpr cpu_operator made{top_phases};
  return made;
}

}  // namespace pappus::cpu_ops
