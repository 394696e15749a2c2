// Chunks of arrays in files, as far as somebody needs them, or may need them again.
//
// A chunk is loaded by the first thread that wants it; others wait for that. What nobody uses is
// kept, unless it was said that it won't be needed, until the others are a quarter of memory or
// somebody needs theirs. It goes for nothing, since the file still has it.
//
// Who finds no room gives up all that he has, and waits until somebody's lease has ended: the last
// one who doesn't wait either has room or is refused, so waits end.
//
// Locks: one mutex, under which nothing is loaded or acquired.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/chunked.h"
#include "memory/pool.h"

namespace pappus::memory {

class chunk_cache final : public graph::chunk_store,
                          public std::enable_shared_from_this<chunk_cache> {
 public:
  explicit chunk_cache(std::shared_ptr<pool> memory);
  ~chunk_cache() override;
  chunk_cache(const chunk_cache&) = delete;
  chunk_cache& operator=(const chunk_cache&) = delete;

  graph::lease_ptr take(std::span<graph::wanted_elements> wanted, std::string_view owner) override;
  bool wait_for_end(std::uint64_t& seen, std::uint64_t own) override;
  std::size_t lease_max() const noexcept override;
  void forget(const graph::chunked& of) noexcept override;

  /// Bytes of chunks that nobody uses.
  std::size_t idle_bytes() const;

 private:
  using key = std::pair<const graph::chunked*, std::int64_t>;
  struct chunk;
  using chunks = std::map<key, chunk>;
  class held;

  void find(graph::wanted_elements& wanted, held& with, std::string_view owner);
  std::byte* copy_of(graph::wanted_elements& wanted, held& with, std::string_view owner);
  void copy_together(graph::wanted_elements& wanted, const regions::box& cells, held& with,
                     std::string_view owner);
  chunks::iterator pin(const graph::wanted_elements& wanted, const regions::point& at,
                       std::string_view owner);
  void load(chunks::iterator loading, const graph::chunked& of, const regions::point& at,
            std::string_view owner);
  void unpin(chunks::iterator pinned) noexcept;
  void end_lease() noexcept;
  // With mutex_ locked.
  void begin() noexcept;
  void wait_for_one(std::unique_lock<std::mutex>& lock);
  /// Takes idle chunks out of the cache until they have so many bytes, the oldest first.
  std::vector<detail::buffer> drop(std::size_t bytes) noexcept;  // with mutex_ locked
  bool give_back(std::size_t bytes) noexcept;

  const std::shared_ptr<pool> memory_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  chunks chunks_;
  std::list<chunks::iterator> idle_;  // the oldest first
  std::size_t idle_bytes_ = 0;
  std::size_t active_ = 0;     // leases, and who is about to have one and doesn't wait
  std::uint64_t ended_ = 0;    // of these so far
  std::uint64_t changes_ = 0;  // times that there was one more, or one less
};

}  // namespace pappus::memory
