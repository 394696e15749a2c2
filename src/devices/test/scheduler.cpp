#include "devices/test/scheduler.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pappus::devices::test {

std::uint64_t scheduler::open_queue() {
  queues_[queues_opened_];
  return queues_opened_++;
}

void scheduler::close_queue(std::uint64_t queue) {
  finish(queue);
  queues_.erase(queue);
}

void scheduler::enqueue(operation_ptr next) {
  for (auto* use : next->uses) {
    ++use->operations;
    use->last = next->name;
  }
  queues_.at(next->queue).waiting.push_back(std::move(next));
  // Less than one on average, so that a backlog grows until somebody flushes or waits.
  for (auto steps = numbers_.coin() ? 0 : numbers_.below(4); steps > 0 && start_any(); --steps) {
  }
}

void scheduler::flush(std::uint64_t queue) { start_all(queues_.at(queue)); }

std::optional<failure> scheduler::wait(const operation_ptr& until) {
  if (until->now != operation::state::over) {
    while (until->now == operation::state::waiting) start_any();
    thread_.wait(until->job);
    learn_over(until);
  }
  return until->failed;
}

std::optional<failure> scheduler::finish(std::uint64_t queue) {
  auto& state = queues_.at(queue);
  start_all(state);
  drain(state);
  return state.failed;
}

void scheduler::lose(const std::string& why) {
  lost_ = failure{fault::lost, why};
  for (auto& [number, queue] : queues_) {
    queue.failed = lost_;
    drop_waiting(queue);
  }
}

bool scheduler::can_start(const queue_state& queue) const {
  if (queue.waiting.empty()) return false;
  return std::ranges::none_of(queue.waiting.front()->after, [](const operation_ptr& other) {
    return other->now == operation::state::waiting;
  });
}

// While any operation waits, one can start: the one that was enqueued first.
bool scheduler::start_any() {
  const auto able = static_cast<std::size_t>(std::ranges::count_if(
      queues_, [&](const auto& numbered) { return can_start(numbered.second); }));
  if (able == 0) return false;
  auto skip = numbers_.below(able);
  for (auto& [number, queue] : queues_)
    if (can_start(queue) && skip-- == 0) {
      start(queue);
      return true;
    }
  return false;
}

void scheduler::start_all(const queue_state& queue) {
  while (!queue.waiting.empty()) start_any();
}

void scheduler::start(queue_state& queue) {
  const auto next = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  queue.started.push_back(next);
  next->now = operation::state::started;
  const auto broken = std::ranges::find_if(
      next->after, [](const operation_ptr& other) { return other->failed.has_value(); });
  if (!queue.failed && broken != next->after.end())
    queue.failed = failure{fault::launch_failed, fmt::format("{} waits for what failed: {}",
                                                             next->name, (*broken)->failed->text)};
  if (queue.failed)
    drop(queue, next);
  else
    run(queue, next);
}

void scheduler::run(queue_state& queue, const operation_ptr& next) {
  order_.push_back(next->call);
  const auto how = next->injected ? outcome::stopped_midway : outcome::complete;
  next->job = thread_.push({next->delay, [work = std::move(next->run), how] { work(how); }});
  if (!next->injected) return;
  const auto text =
      fmt::format("{}: {}, injected by the test device", next->name, to_string(*next->injected));
  next->failed = queue.failed = failure{*next->injected, text};
  if (*next->injected == fault::lost) lose(text);
}

// It never runs and waits for nothing, least of all its events; but it is over no sooner than what
// its queue has started.
void scheduler::drop(queue_state& queue, const operation_ptr& next) {
  next->failed = queue.failed;
  next->after.clear();
  next->job = thread_.latest();
}

void scheduler::drop_waiting(queue_state& queue) {
  for (auto& next : queue.waiting) {
    next->now = operation::state::started;
    drop(queue, next);
    queue.started.push_back(std::move(next));
  }
  queue.waiting.clear();
}

void scheduler::drain(queue_state& queue) {
  if (queue.failed) drop_waiting(queue);
  if (queue.started.empty()) return;
  thread_.wait(queue.started.back()->job);
  learn_over(queue.started.back());
}

// With an operation, all that it had to wait for is over: what precedes it in its queue, its
// events, and in turn what those waited for.
void scheduler::learn_over(const operation_ptr& done) {
  std::vector<operation_ptr> todo{done};
  while (!todo.empty()) {
    const auto last = std::move(todo.back());
    todo.pop_back();
    if (last->now != operation::state::started) continue;
    auto& started = queues_.at(last->queue).started;
    while (last->now == operation::state::started) {
      const auto first = std::move(started.front());
      started.pop_front();
      first->now = operation::state::over;
      for (auto* use : first->uses) --use->operations;
      first->uses.clear();
      for (auto& other : first->after) todo.push_back(std::move(other));
      first->after.clear();
      first->run = nullptr;
    }
  }
}

}  // namespace pappus::devices::test
