#include <sched.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "base/failure.h"
#include "pappus/error.h"
#include "threads/team.h"

namespace pappus::threads {

/// One call of run() or share(): items are handed out by a ticket counter.
struct batch {
  batch(query_workers& query, detail::parallel_body f, void* argument, std::size_t n)
      : owner(query), body(f), context(argument), items(n), recorder(query.recorder_) {}

  query_workers& owner;
  detail::parallel_body body;
  void* context;
  std::size_t items;
  trace::recorder* recorder;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::size_t> next{0};
  std::atomic<unsigned> participants{0};
  std::atomic<unsigned> inside{0};  // participants that may still be in an item
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr error;
  base::failure_note note;  // of the error
  std::size_t error_item = 0;

  /// Another participant would find an item, and a worker index.
  bool has_items() const {
    return next.load(std::memory_order_relaxed) < items &&
           participants.load(std::memory_order_relaxed) < owner.count() &&
           !failed.load(std::memory_order_relaxed);
  }

  void take_items() {
    if (recorder == nullptr) {
      take_them();
      return;
    }
    const auto begin = trace::clock::now();
    const std::size_t taken = take_them();
    recorder->took_part(begin, trace::clock::now(), taken);
  }

  /// What the lowest item threw, if any did.
  void rethrow() {
    if (!error) return;
    base::leave_note(std::move(note));
    std::rethrow_exception(error);
  }

 private:
  std::size_t take_them() {
    const unsigned worker = participants.fetch_add(1, std::memory_order_relaxed);
    if (worker >= owner.count()) return 0;
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
          note = base::take_note();
        }
        failed.store(true, std::memory_order_relaxed);
      }
    }
    return taken;
  }
};

namespace {

/// Those who wait and help may come to wait again, inside what they help with.
constexpr int deepest_help = 8;
thread_local int help_depth = 0;

}  // namespace

void query_workers::take_part(void* argument) {
  auto& work = *static_cast<batch*>(argument);
  auto& query = work.owner;
  work.inside.fetch_add(1, std::memory_order_relaxed);
  work.take_items();
  work.inside.fetch_sub(1);
  if (work.caller == std::this_thread::get_id())
    query.wait_for(work);
  else
    query.tell_waiting();
}

void query_workers::run(std::size_t items, detail::parallel_body body, void* context) {
  if (stopping()) throw cancelled();
  if (items == 0) return;
  const auto helpers = static_cast<unsigned>(std::min<std::size_t>(items, team_.threads())) - 1;
  if (recorder_ != nullptr) recorder_->begin_items(items);
  if (helpers == 0 && recorder_ == nullptr) {  // small work: on this thread, at once
    for (std::size_t item = 0; item < items && !stopping(); ++item) body(context, item, 0);
  } else {
    batch work(*this, body, context, items);
    if (helpers == 0)
      work.take_items();
    else
      team_.join_in(helpers, take_part, &work);
    work.rethrow();
  }
  if (stopping()) throw cancelled();
}

void query_workers::share(std::size_t items, detail::parallel_body body, void* context) {
  if (stopping()) throw cancelled();
  if (items == 0) return;
  if (recorder_ != nullptr) recorder_->add_items(items);
  const auto helpers = static_cast<unsigned>(std::min<std::size_t>(items, team_.threads())) - 1;
  batch work(*this, body, context, items);
  if (helpers == 0) {
    work.take_items();
  } else {
    {
      const std::lock_guard lock(mutex_);
      shared_.push_back(&work);
      sharing_.store(static_cast<unsigned>(shared_.size()));
    }
    tell_waiting();
    team_.join_in(helpers, take_part, &work);
    {
      const std::lock_guard lock(mutex_);
      std::erase(shared_, &work);
      sharing_.store(static_cast<unsigned>(shared_.size()));
    }
    wait_for(work);  // who found it in the list
  }
  work.rethrow();
  if (stopping()) throw cancelled();
}

bool query_workers::help() {
  if (sharing_.load(std::memory_order_relaxed) == 0 || help_depth == deepest_help || stopping())
    return false;
  batch* work;
  {
    const std::lock_guard lock(mutex_);
    const auto open = std::ranges::find_if(shared_, &batch::has_items);
    if (open == shared_.end()) return false;
    work = *open;
    work->inside.fetch_add(1);  // from here on its caller waits for us
  }
  ++help_depth;
  work->take_items();
  --help_depth;
  work->inside.fetch_sub(1);  // and from here on it may be gone
  tell_waiting();
  return true;
}

void query_workers::wait_for(batch& work) {
  constexpr int polls_before_sleep = 400;
  for (int polls = 0; work.inside.load() != 0; ++polls) {
    if (help()) {
      polls = 0;
      continue;
    }
    if (polls < polls_before_sleep) {
      std::this_thread::yield();
      continue;
    }
    waiting_.fetch_add(1);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return work.inside.load() == 0 || (help_depth < deepest_help && !stopping() &&
                                           std::ranges::any_of(shared_, &batch::has_items));
      });
    }
    waiting_.fetch_sub(1);
  }
}

void query_workers::tell_waiting() {
  if (waiting_.load() == 0) return;
  {
    const std::lock_guard lock(mutex_);
  }  // who has looked already is asleep by now
  changed_.notify_all();
}

unsigned available_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1u, static_cast<unsigned>(CPU_COUNT(&set)));
}

}  // namespace pappus::threads
