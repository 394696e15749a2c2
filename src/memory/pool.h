// The session's memory: one budget, and buffers kept warm between queries.
//
// Fresh memory is expensive: the kernel clears every page on first touch, at a few GB/s with small
// pages. So buffers of 2 MiB and more are aligned for huge pages, and what a query gives back is
// kept for the next one. Warm memory counts against the budget like that in use. Where a request
// would not fit otherwise, it gets a part of what is warm (free_ranges.h), or some is returned to
// the system; the process never holds more than the budget for row data.
//
// Not here: which operator may have how much (plan/), and what goes to the disk (store.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/free_ranges.h"
#include "pappus/detail/base/memory.h"

namespace pappus::memory {

class pool final : public detail::memory_source {
 public:
  /// \param limit_bytes  the most this pool ever holds, in use and warm together.
  explicit pool(std::size_t limit_bytes) : limit_(limit_bytes) {}
  ~pool() override;

  std::byte* acquire(std::size_t bytes, std::string_view owner) override;
  void release(std::byte* data, std::size_t bytes) noexcept override;
  /// The same of memory whose owner gave some of its pages to the system, and discharged them.
  void release_rest(std::byte* data, std::size_t bytes, std::size_t given) noexcept;
  std::size_t available() const noexcept override { return limit_ - std::min(limit_, in_use()); }

  /// Counts memory as in use that a driver takes from the host by itself. Throws like acquire().
  /// Thread-safe, as all of the pool.
  void charge(std::size_t bytes, std::string_view owner);
  /// Takes back a charge().
  void discharge(std::size_t bytes) noexcept;

  std::size_t limit() const noexcept { return limit_; }
  std::size_t in_use() const;
  std::size_t held() const;  ///< in use and warm
  std::size_t peak() const;  ///< the most ever held

  /// What may be called before a request for `bytes` is refused, by the requesting thread: who
  /// holds charged memory that it could do without may give it back. True: it did, or others did
  /// while it waited for them; the request is tried again. It may throw in place of the refusal. It
  /// mustn't take memory of the pool. Several threads may call it at once.
  using give_back = std::function<bool(std::size_t bytes, std::string_view owner)>;
  /// Sets the one of `whose`; an empty function removes it. The one that was
  /// set last is called first. Blocks while any of them is running.
  void on_shortage(const void* whose, give_back called);

  /// Gives all warm memory back to the system.
  void trim();

  /// Bytes that a request for `bytes` is charged.
  static std::size_t charged(std::size_t bytes) noexcept;

 private:
  /// Locks mutex_. Where memory is short it unlocks it meanwhile and asks for it.
  std::unique_lock<std::mutex> lock_to_take(std::size_t size, std::string_view owner);
  bool ask(std::size_t size, std::string_view owner);
  // All are called with mutex_ locked.
  void make_room(std::size_t size, std::string_view owner);
  void drop_warm(std::size_t until_held);
  void drop_small(std::size_t until_held);
  void trim_small();
  std::size_t warm() const noexcept { return warm_small_ + ranges_.bytes(); }
  std::byte* take_warm(std::size_t size) noexcept;
  std::byte* take_warm_small(std::size_t size) noexcept;
  void keep_warm(std::byte* data, std::size_t size);

  const std::size_t limit_;
  std::shared_mutex shortage_mutex_;  // taken before mutex_; shared by those who call
  std::vector<std::pair<const void*, give_back>> asked_;
  mutable std::mutex mutex_;
  std::size_t in_use_ = 0, peak_ = 0;
  std::size_t warm_small_ = 0, freed_small_ = 0;  // bytes; the C library may keep those freed
  std::map<std::size_t, std::vector<std::byte*>> small_;  // warm ones, by charged size
  free_ranges ranges_;                                    // other warm ones
};

/// 80 % of the memory that is free for this process now (the machine's and its control group's),
/// bytes.
std::size_t default_limit();

}  // namespace pappus::memory
