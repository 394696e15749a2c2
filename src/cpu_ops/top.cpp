// The rows with the greatest or least keys, without sorting the others.
//
// Workers keep candidates in buffers of their own, from window to window; the order of candidates
// is total (key, then row), so which worker saw which rows doesn't matter. At the end the best of
// all buffers are put together and sorted. Between windows, whose text goes with them, candidates
// have copies of theirs, if it is found.
#include "pappus/detail/loops/top.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
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

/// No more buffers than work at a time; where memory is short as many as there is room for, at
/// least one, for which workers take turns.
class top_state {
 public:
  /// A buffer that nobody else has, until this goes.
  class turn {
   public:
    turn(top_state& of, const run_context& context) : of_(of), own_(of.take(context)) {}
    ~turn() { of_.give_back(own_); }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    detail::top_buffer& buffer() const { return own_.buffer; }

   private:
    top_state& of_;
    candidates& own_;
  };

  /// The best of all candidates, in one buffer. Null: there are none.
  detail::top_buffer* best(const graph::node& node) {
    if (all_.empty()) return nullptr;
    auto& to = all_.front()->buffer;
    for (const auto& own : std::span(all_).subspan(1)) add(node, own->buffer, to);
    keep_best(node, to);
    return &to;
  }

  /// Has candidates, of which only the best stay, point to text of their own.
  void copy_text(const run_context& context) {
    const auto& candidate = context.node.as<top_params>().candidate;
    algorithms::text_copies made(candidate, context.memory, context.owner);
    for (const auto& own : all_) {
      keep_best(context.node, own->buffer);
      for (std::int64_t i = 0; i < own->buffer.count; ++i)
        made.copy(own->buffer.candidates + static_cast<std::size_t>(i) * candidate.size);
    }
    text_ = made.take();
  }
  std::vector<detail::buffer> take_text() { return std::move(text_); }

 private:
  candidates& take(const run_context& context) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return !idle_.empty() || all_.empty() || has_room(context); });
    if (idle_.empty()) return *all_.emplace_back(make(context));
    auto& own = *idle_.back();
    idle_.pop_back();
    return own;
  }
  void give_back(candidates& own) {
    {
      const std::lock_guard lock(mutex_);
      idle_.push_back(&own);
    }
    given_back_.notify_all();
  }

  static void keep_best(const graph::node& node, detail::top_buffer& in) {
    node.as<top_params>().keep_best(node.stage.element.get(), in);
  }
  static std::size_t bytes(const top_params& params, std::int64_t capacity) {
    return static_cast<std::size_t>(capacity) * params.candidate.size;
  }
  static bool has_room(const run_context& context) {
    const auto& params = context.node.as<top_params>();
    return context.available() / 4 >= bytes(params, ops::top_candidates_max(params));
  }
  static std::unique_ptr<candidates> make(const run_context& context) {
    const auto& params = context.node.as<top_params>();
    auto capacity =
        has_room(context) ? ops::top_candidates_max(params) : ops::top_candidates_min(params);
    if (!context.in_windows) capacity = std::min(capacity, context.rows);
    auto made = std::make_unique<candidates>();
    made->memory = detail::buffer(context.memory, bytes(params, capacity), context.owner);
    made->buffer = {made->memory.data(), 0, params.limit, capacity, false};
    return made;
  }

  /// Adds a buffer's candidates to another one's, of which the best stay.
  static void add(const graph::node& node, const detail::top_buffer& from, detail::top_buffer& to) {
    const auto& params = node.as<top_params>();
    for (std::int64_t done = 0; done < from.count;) {
      if (to.count == to.capacity) keep_best(node, to);
      const auto n = std::min(from.count - done, to.capacity - to.count);
      std::memcpy(to.candidates + bytes(params, to.count), from.candidates + bytes(params, done),
                  bytes(params, n));
      to.count += n;
      done += n;
    }
  }

  std::mutex mutex_;
  std::condition_variable given_back_;
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
    const top_state::turn own(state, context);
    return for_each_fast_block(context, begin, end, true, [&](const detail::block_args& args) {
      params.consider(context.node.stage.element.get(), args, own.buffer());
    });
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
  const auto* const best = state.best(context.node);
  if (best == nullptr || best->count == 0) return;
  const auto chosen = best->count;
  detail::buffer records(context.memory, static_cast<std::size_t>(chosen) * context.node.out.size,
                         context.owner);
  params.finish(context.node.stage.element.get(), best->candidates, chosen, chosen, records.data());
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
