#include "devices/opencl/copying_crew.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "pappus/detail/base/integers.h"

namespace pappus::devices::opencl {
namespace {

// Large enough that taking one costs nothing beside copying it, small enough that eight threads
// share 4 MiB evenly.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

}  // namespace

copying_crew::~copying_crew() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  opened_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

// Those that the system refuses are done without.
void copying_crew::start() {
  started_ = true;
  try {
    for (unsigned i = 1; i < threads_; ++i) helpers_.emplace_back([this] { serve(); });
  } catch (const std::exception&) {
  }
}

void copying_crew::copy(void* to, const void* from, std::size_t bytes) noexcept {
  const std::size_t pieces = detail::ceil_div(bytes, piece_bytes);
  if (threads_ > 1 && pieces > 1 && !started_) start();
  if (pieces <= 1 || helpers_.empty()) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    to_ = static_cast<std::byte*>(to);
    from_ = static_cast<const std::byte*>(from);
    bytes_ = bytes;
    next_ = 0;
    open_ = true;
  }
  for (std::size_t i = std::min(helpers_.size(), pieces - 1); i > 0; --i) opened_.notify_one();
  take_pieces();
  std::unique_lock lock(mutex_);
  open_ = false;
  done_.wait(lock, [&] { return at_work_ == 0; });
}

void copying_crew::take_pieces() noexcept {
  while (true) {
    const std::size_t at = next_.fetch_add(piece_bytes, std::memory_order_relaxed);
    if (at >= bytes_) return;
    std::memcpy(to_ + at, from_ + at, std::min(piece_bytes, bytes_ - at));
  }
}

void copying_crew::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    opened_.wait(lock, [&] { return open_ || ending_; });
    if (ending_) return;
    ++at_work_;
    lock.unlock();
    take_pieces();
    lock.lock();
    open_ = false;  // all pieces are taken
    if (--at_work_ == 0) done_.notify_one();
  }
}

}  // namespace pappus::devices::opencl
