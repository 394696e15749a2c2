#include "io/transfers.h"

#include <cerrno>
#include <chrono>
#include <utility>

#include "io/activity.h"
#include "io/quiet_thread.h"

namespace pappus::io {

transfers::transfers(std::shared_ptr<calls> through, unsigned threads)
    : through_(std::move(through)), threads_max_(threads) {
  idle_.reserve(threads);
}

transfers::~transfers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    while (auto* const one = called()) one->called.notify_one();
  }
  for (auto& one : servers_) one.thread.join();
}

transfers::batch::~batch() {
  if (own_) own_.reset(), --open_;
  while (open_ > 0) wait();
}

void transfers::batch::submit(const request& asked) {
  if (own_ || asked.what != request::kind::read) return hand_over(asked);
  own_ = asked;
  ++open_;
}

void transfers::batch::hand_over(const request& asked) {
  std::unique_lock lock(by_.mutex_);
  shared_->done.reserve(open_ + 1);  // so that who completes it needs no memory
  by_.waiting_.push_back({asked, shared_});
  ++open_;
  if (auto* const one = by_.called()) {
    lock.unlock();
    one->called.notify_one();
  } else if (by_.servers_.size() < by_.threads_max_) {
    try {
      by_.start_one();
    } catch (...) {
      if (!by_.servers_.empty()) return;  // others will see to it
      by_.waiting_.pop_back();
      --open_;
      throw;
    }
  }
}

void transfers::start_one() {
  auto& own = servers_.emplace_back();
  try {
    own.thread = start_quiet_thread([this, &own] { serve(own); });
  } catch (...) {
    servers_.pop_back();
    throw;
  }
}

/// The idle thread that is to look for work, and must be notified. Null: all have some.
transfers::server* transfers::called() noexcept {
  if (idle_.empty()) return nullptr;
  auto* const one = idle_.back();
  idle_.pop_back();
  one->idle = false;
  return one;
}

completion transfers::batch::wait() {
  std::unique_lock lock(by_.mutex_);
  if (own_ && shared_->done.empty()) {
    lock.unlock();
    --open_;
    return by_.carry_out(*std::exchange(own_, std::nullopt));
  }
  shared_->changed.wait(lock, [this] { return !shared_->done.empty(); });
  const auto result = shared_->done.back();
  shared_->done.pop_back();
  --open_;
  return result;
}

void transfers::serve(server& own) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (waiting_.empty()) {
      if (ending_) return;
      own.idle = true;
      idle_.push_back(&own);
      own.called.wait(lock, [&own] { return !own.idle; });
      continue;
    }
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const auto result = carry_out(next.asked);
    lock.lock();
    next.of->done.push_back(result);
    lock.unlock();
    next.of->changed.notify_one();
    lock.lock();
  }
}

completion transfers::carry_out(request r) const {
  const active now(r.what == request::kind::read ? activity::reading : activity::writing);
  while (r.bytes > 0) {
    std::int64_t n = 0;
    switch (r.what) {
      case request::kind::read:
        n = through_->read(r.file, r.memory, r.bytes, r.offset);
        break;
      case request::kind::write:
        n = through_->write(r.file, r.memory, r.bytes, r.offset);
        break;
      case request::kind::allocate:
        n = through_->allocate(r.file, r.bytes, r.offset);
        if (n == 0) return {r.number, 0, r.offset};
        break;
    }
    if (n == -EINTR) continue;
    if (n == -EAGAIN) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      continue;
    }
    if (n <= 0) return {r.number, n == 0 ? ENODATA : static_cast<int>(-n), r.offset};
    r.offset += static_cast<std::uint64_t>(n);
    r.memory += n;
    r.bytes -= static_cast<std::size_t>(n);
  }
  return {r.number, 0, r.offset};
}

}  // namespace pappus::io
