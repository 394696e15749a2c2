// The team over std::thread. oneTBB's own synchronisation is invisible to ThreadSanitizer; this one
// isn't.
#ifdef PAPPUS_STD_THREADS

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "threads/team.h"

namespace pappus::threads {
namespace {

struct call {
  void (*participant)(void*);
  void* context;
  unsigned wanted;       // helpers that may still join
  unsigned running = 0;  // helpers inside participant
};

class std_team final : public team {
 public:
  explicit std_team(unsigned threads) : threads_(threads) {
    for (unsigned i = 1; i < threads; ++i) helpers_.emplace_back([this] { serve(); });
  }
  ~std_team() override {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (auto& helper : helpers_) helper.join();
  }

  unsigned threads() const noexcept override { return threads_; }

  void join_in(unsigned helpers, void (*participant)(void*), void* context) override {
    call work{participant, context, helpers};
    {
      std::lock_guard lock(mutex_);
      calls_.push_back(&work);
    }
    wake_.notify_all();
    participant(context);
    std::unique_lock lock(mutex_);
    std::erase(calls_, &work);
    done_.wait(lock, [&] { return work.running == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return ending_ || !calls_.empty(); });
      if (ending_) return;
      call* work = calls_.front();
      if (--work->wanted == 0) calls_.pop_front();
      ++work->running;
      lock.unlock();
      work->participant(work->context);
      lock.lock();
      --work->running;
      done_.notify_all();
    }
  }

  unsigned threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<call*> calls_;
  bool ending_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace

std::unique_ptr<team> make_team(unsigned threads) { return std::make_unique<std_team>(threads); }

}  // namespace pappus::threads

#endif
