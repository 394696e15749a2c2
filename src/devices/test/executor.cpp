#include "devices/test/executor.h"

#include <utility>

#include "devices/registry.h"

namespace pappus::devices::test {

executor::executor() : thread_([this] { run(); }) {}

executor::~executor() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_one();
  thread_.join();
}

std::uint64_t executor::push(job next) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(next));
  }
  work_.notify_one();
  return ++pushed_;
}

void executor::wait(std::uint64_t number) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return completed_ >= number; });
}

void executor::run() noexcept {
  is_device_thread = true;
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    {
      const auto next = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      if (next.delay.count() > 0) std::this_thread::sleep_for(next.delay);
      next.work();
    }  // what the job held is gone before anybody learns that it is done
    lock.lock();
    ++completed_;
    done_.notify_all();
  }
}

}  // namespace pappus::devices::test
