#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "devices/cpu/team.h"
#include "pappus/error.h"

namespace pappus::devices::cpu {
namespace {

/// One call of run(): items are handed out by a ticket counter.
struct batch {
  batch(const detail::workers& workers, detail::parallel_body f, void* argument, std::size_t n,
        trace::recorder* told)
      : owner(workers), body(f), context(argument), items(n), recorder(told) {}

  const detail::workers& owner;
  detail::parallel_body body;
  void* context;
  std::size_t items;
  trace::recorder* recorder;
  std::atomic<std::size_t> next{0};
  std::atomic<unsigned> participants{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t error_item = 0;

  void take_part() {
    if (recorder == nullptr) {
      take_items();
      return;
    }
    const auto begin = trace::clock::now();
    const std::size_t taken = take_items();
    recorder->took_part(begin, trace::clock::now(), taken);
  }

 private:
  std::size_t take_items() {
    const unsigned worker = participants.fetch_add(1, std::memory_order_relaxed);
    std::size_t taken = 0;
    while (!failed.load(std::memory_order_relaxed) && !owner.stopping()) {
      const std::size_t item = next.fetch_add(1, std::memory_order_relaxed);
      if (item >= items) break;
      try {
        body(context, item, worker);
        ++taken;
        if (recorder != nullptr) recorder->item_done();
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!error || item < error_item) {
          error = std::current_exception();
          error_item = item;
        }
        failed.store(true, std::memory_order_relaxed);
      }
    }
    return taken;
  }
};

}  // namespace

void query_workers::run(std::size_t items, detail::parallel_body body, void* context) {
  if (stopping()) throw cancelled();
  if (items == 0) return;
  const auto helpers = static_cast<unsigned>(std::min<std::size_t>(items, team_.threads())) - 1;
  if (recorder_ != nullptr) recorder_->begin_items(items);
  if (helpers == 0 && recorder_ == nullptr) {  // small work: on this thread, at once
    for (std::size_t item = 0; item < items && !stopping(); ++item) body(context, item, 0);
  } else {
    batch work(*this, body, context, items, recorder_);
    const auto take_part = [](void* self) { static_cast<batch*>(self)->take_part(); };
    if (helpers == 0)
      work.take_part();
    else
      team_.join_in(helpers, take_part, &work);
    if (work.error) std::rethrow_exception(work.error);
  }
  if (stopping()) throw cancelled();
}

unsigned available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)));
}

}  // namespace pappus::devices::cpu
