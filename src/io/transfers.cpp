#include "io/transfers.h"

#include <csignal>

#include <cerrno>
#include <chrono>

namespace pappus::io {

transfers::~transfers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (auto& thread : threads_) thread.join();
}

transfers::batch::~batch() {
  while (open_ > 0) wait();
}

void transfers::batch::submit(const request& asked) {
  const std::lock_guard lock(by_.mutex_);
  done_.reserve(open_ + 1);  // so that who completes it needs no memory
  by_.waiting_.push_back({asked, this});
  ++open_;
  if (by_.idle_ < by_.waiting_.size() && by_.threads_.size() < by_.threads_max_) {
    // They inherit the mask: a signal for the program, or one for a file that may not grow, is
    // nothing that they should handle.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      by_.threads_.emplace_back([this_ = &by_] { this_->serve(); });
    } catch (...) {
      if (by_.threads_.empty()) {
        by_.waiting_.pop_back();
        --open_;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
      }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  by_.work_.notify_one();
}

completion transfers::batch::wait() {
  std::unique_lock lock(by_.mutex_);
  changed_.wait(lock, [this] { return !done_.empty(); });
  const auto result = done_.back();
  done_.pop_back();
  --open_;
  return result;
}

void transfers::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    work_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const auto next = waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    const auto result = carry_out(next.asked);
    lock.lock();
    next.of->done_.push_back(result);
    next.of->changed_.notify_one();
  }
}

completion transfers::carry_out(request r) {
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
