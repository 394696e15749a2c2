// Large arrays in a session's memory: each lies at addresses of its own, in sections that go to the
// spill file when memory is short, and come back when somebody leases them.
//
// Which section goes is a guess about when it will be needed again. An array that no launch waits
// for goes first, what was used longest ago before the rest. Launches that do wait pass over their
// arrays from one end to the other, again and again: what was used longest ago would be needed
// next. So the newest quarter stays, which neighbours and the launches of a turn share, and of the
// others what was used last goes: a fixed part of the arrays stays for the next pass.
//
// Who misses a section behind one that was just used brings some of the next ones, too: a disk
// likes to be asked for much at a time.
//
// Locks: one mutex, under which nothing is read, written or charged. Who needs room takes turns;
// leases of sections that are in memory don't wait for them.
//
// Not here: what launches touch (arrays/leases.h), rows that rest (store.h).
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "graph/pageable.h"
#include "memory/pool.h"
#include "memory/spill_file.h"

namespace pappus::memory {

class sections final : public graph::pageable_store, public std::enable_shared_from_this<sections> {
 public:
  /// \param file  null: nothing goes to a disk
  sections(std::shared_ptr<pool> memory, std::shared_ptr<spill_file> file);

  std::shared_ptr<graph::pageable> make(std::size_t bytes, std::string_view owner) override;
  graph::lease_ptr take(std::span<const graph::leased_bytes> wanted, graph::lease_time lasts,
                        std::string_view owner) override;
  std::size_t section_bytes() const noexcept override { return section_bytes_; }
  std::size_t lease_max() const noexcept override {
    return std::max(memory_->limit() / 16, std::min(4 * section_bytes_, memory_->limit() / 4));
  }

  /// Which arrays' sections may go.
  enum class which : std::uint8_t { unexpected, all };
  /// Has sections go until `bytes` are free. False: there are no more of them. Throws spill_error
  /// where the disk was in the way.
  bool make_room(std::size_t bytes, which of, std::string_view owner);
  /// Bytes of the sections that could go.
  std::size_t evictable() const;

  /// For tests: arrays that are made later, however few bytes they have, lie in sections of so many
  /// bytes (whole pages of the system), and whenever a lease ends, all that may go does so.
  void press_for_tests(std::size_t section_bytes);

 private:
  struct section;
  struct numbered;
  class block;
  class held;
  template <typename F>
  static void each_section(std::span<const graph::leased_bytes> wanted, F&& f);

  // With mutex_ locked.
  void pin(std::span<const graph::leased_bytes> wanted) noexcept;
  void unpin(std::span<const graph::leased_bytes> wanted) noexcept;
  bool are_there(std::span<const graph::leased_bytes> wanted) const;
  bool is_moving(std::span<const graph::leased_bytes> wanted) const;
  std::vector<numbered> missing(std::span<const graph::leased_bytes> wanted);
  std::vector<numbered> next(std::span<const numbered> wanted);
  void finish(std::span<const numbered> moved, bool there) noexcept;
  std::vector<numbered> candidates(which of, bool may_write) const;
  std::vector<numbered> choose(std::size_t bytes, which of, bool may_write) const;

  void bring(std::span<const graph::leased_bytes> wanted, std::string_view owner,
             std::unique_lock<std::mutex>& lock);
  void fill(std::span<const numbered> chosen, std::string_view owner) const;
  void load(std::span<const graph::leased_bytes> wanted, std::string_view owner,
            std::unique_lock<std::mutex>& lock);
  void give_back(std::span<const graph::leased_bytes> wanted, graph::lease_time lasts) noexcept;
  void write(std::span<numbered> chosen, std::string_view owner) const;
  void evict(std::span<numbered> chosen, std::string_view owner,
             std::unique_lock<std::mutex>& lock);
  void evict_all(std::unique_lock<std::mutex>& lock) noexcept;

  const std::shared_ptr<pool> memory_;
  const std::shared_ptr<spill_file> file_;  // null: nothing goes to a disk
  std::size_t section_bytes_;
  bool pressed_ = false;
  std::mutex turn_;           // of who brings sections; taken before mutex_
  mutable std::mutex mutex_;  // guards what follows, and all sections
  std::condition_variable changed_;
  std::vector<block*> known_;
  std::uint64_t clock_ = 0;
  std::uint64_t ended_ = 0;   // brief leases so far
  std::size_t brief_ = 0;     // of those that last
  std::size_t evicting_ = 0;  // threads that make sections go
};

}  // namespace pappus::memory
