#include "formats/read_ahead.h"

#include <algorithm>
#include <cstring>

#include "base/memory_scale.h"
#include "io/activity.h"
#include "io/quiet_thread.h"

namespace pappus::formats {
namespace {

constexpr std::size_t first_block = std::size_t{64} << 10;

std::size_t block_bytes() noexcept { return base::scaled(std::size_t{1} << 20); }

}  // namespace

std::size_t read_ahead::bytes_max() noexcept { return 3 * block_bytes(); }

read_ahead::read_ahead(compression by, const byte_source& source, detail::memory_source& memory)
    : memory_(memory),
      owner_(source.name() + ": decompression"),
      from_(make_decompressor(by, source, memory)) {
  blocks_[0].memory = {memory, std::min(first_block, block_bytes()), owner_};
  decompress(blocks_[0]);
  ready_ = 1;
}

read_ahead::~read_ahead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void read_ahead::decompress(block& to) {
  const io::active now(io::activity::decompressing);
  try {
    to.bytes = from_->read({to.memory.data(), to.memory.size()});
    to.last = from_->ended();
  } catch (...) {
    to.bytes = 0;
    to.failure = std::current_exception();
  }
  to.stored_end = from_->stored_read();
}

/// The thread's: fills the blocks in turn, beginning with the second one.
void read_ahead::work() {
  for (std::size_t next = 1;; next = (next + 1) % blocks_.size()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || ready_ < blocks_.size(); });
      if (stopping_) return;
    }
    decompress(blocks_[next]);
    const bool done = blocks_[next].last || blocks_[next].failure;
    {
      const std::lock_guard lock(mutex_);
      ++ready_;
    }
    changed_.notify_all();
    if (done) return;
  }
}

/// When the first block was handed out. Memory is taken by who may be told that there is none.
void read_ahead::start() {
  for (auto& one : blocks_) {
    one.memory.reset();
    one.memory = {memory_, block_bytes(), owner_};
  }
  thread_ = io::start_quiet_thread([this] { work(); });
}

read_ahead::block& read_ahead::front() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_ > 0; });
  return blocks_[front_];
}

/// Goes on to the block behind the front one, which has been handed out.
void read_ahead::pass() {
  if (!thread_.joinable()) start();
  {
    const std::lock_guard lock(mutex_);
    --ready_;
  }
  changed_.notify_all();
  front_ = (front_ + 1) % blocks_.size();
  used_ = 0;
}

std::size_t read_ahead::read(std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const auto& now = front();
    const auto more = std::min(now.bytes - used_, out.size() - filled);
    if (more > 0) std::memcpy(out.data() + filled, now.memory.data() + used_, more);
    filled += more;
    used_ += more;
    taken_.store(now.stored_end, std::memory_order_relaxed);
    if (used_ < now.bytes || now.last) break;
    if (now.failure) {
      if (filled == 0) std::rethrow_exception(now.failure);
      break;
    }
    pass();
  }
  return filled;
}

bool read_ahead::ended() {
  for (;;) {
    const auto& now = front();
    if (used_ < now.bytes || now.failure) return false;
    if (now.last) return true;
    pass();
  }
}

}  // namespace pappus::formats
