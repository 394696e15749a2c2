// One session's memory on one device: a budget, warm buffers, and copies of host rows that are kept
// while there is room (the chunk table).
//
// A stage that streams its input asks for buffers by size; warm ones are handed out again, because
// allocating on a device is slow. What was uploaded once stays until room is needed, so that a loop
// finds its input where it left it. What lies on the device alone is moved to the host when nothing
// else makes room.
//
// All calls are made by the device's one thread: the one that holds devices::attached::lock.
// Buffers may be released by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/registry.h"
#include "memory/pool.h"
#include "pappus/detail/base/chunks.h"

namespace pappus::memory {

/// A buffer in device memory. When its last owner releases it, it becomes a warm buffer of the
/// device_memory that it is from, which it may outlive. All operations on it must be done by then.
/// Releasing it takes the device's lock, so the caller must hold no lock for which the device's
/// thread may wait.
struct device_buffer {
  std::unique_ptr<devices::buffer> memory;
  std::size_t bytes = 0;  ///< as requested; memory->bytes may be more
};
using device_buffer_ptr = std::shared_ptr<device_buffer>;

/// What lies on a device alone, such as rows that a stage left there. Used under the device's lock.
class device_resident {
 public:
  virtual ~device_resident() = default;
  /// The host has a copy of it, or all of it: moving it takes no time.
  virtual bool is_on_host() const noexcept = 0;
  /// Copies it to the host and gives its buffer up. False: it is in use, is gone already, or the
  /// host has no room. Throws device_error.
  virtual bool move_to_host() = 0;
};

class device_memory {
 public:
  /// \param limit_bytes  0: all that the device says it has, less a reserve of a tenth. Never more
  ///                     than the device has.
  /// \param host         charged too where the device's memory is the host's; may be null.
  device_memory(devices::attached_ptr on, std::size_t limit_bytes, std::shared_ptr<pool> host);
  ~device_memory();  ///< takes the device's lock
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  /// A buffer of at least `bytes`. Gives up warm buffers, then kept copies; has residents moved
  /// to the host, to make room. Throws device_error: fault::out_of_memory, naming owner, bytes and
  /// limit, if there still isn't enough; fault::lost, and other faults of what moves residents.
  /// Never waits until others release memory.
  device_buffer_ptr acquire(std::size_t bytes, std::string_view owner);

  /// Whether wrap() may succeed: the device can use host memory in place, and limit_bytes was 0. A
  /// limit stands for a device that needs copies, so that these can be tried anywhere.
  bool in_place() const noexcept;
  /// A buffer that is host memory itself, not charged; null where that isn't possible. The memory
  /// must outlive the buffer. No operation may use two buffers whose memory overlaps, or write into
  /// one whose memory nobody may change.
  device_buffer_ptr wrap(const void* memory, std::size_t bytes);

  /// The kept copy of a host set's rows that begins at row `first` and has at least `rows` rows;
  /// null when there is none, or the device is lost.
  device_buffer_ptr find(const detail::rows_ptr& set, std::int64_t first, std::int64_t rows);
  /// Keeps a copy of rows [first, first + rows) until room is needed or the set is gone. It
  /// replaces copies of any of these rows.
  void keep(const detail::rows_ptr& set, std::int64_t first, std::int64_t rows,
            device_buffer_ptr copied);

  /// What can be moved to the host, until it is gone: first what is there, too; of several sets,
  /// that whose last use is longest ago, and of a set what was used last, as with kept copies.
  /// \param set  a number for what belongs together
  void add(const std::shared_ptr<device_resident>& what, std::uint64_t set);
  /// Notes a use of it.
  void used(const device_resident& what) noexcept;

  /// Bytes of a set's rows of which copies are kept.
  double bytes_kept(const detail::row_set& set) const noexcept;

  std::size_t limit() const noexcept;
  std::size_t in_use() const noexcept;  ///< bytes of buffers with owners, kept copies included
  std::size_t peak() const noexcept;    ///< the most bytes ever allocated, warm buffers included
  /// Forgets all copies and gives warm buffers back: after a loss, or when a session ends.
  void drop() noexcept;

  const devices::attached_ptr& on() const noexcept;

  /// Bytes of the new buffer that a request for `bytes` gets where there is room: at most twice as
  /// many from 128 bytes to 1 MiB, at most 9/8 beyond. A warm one may be a quarter larger.
  static std::size_t charged(std::size_t bytes) noexcept;

 private:
  class buffers;  // the account and the warm buffers; device_buffers share its ownership
  using sized_buffer = std::pair<std::size_t, std::unique_ptr<devices::buffer>>;  // bytes charged
  struct copy {
    std::int64_t rows = 0;
    device_buffer_ptr buffer;
    std::uint64_t last_use = 0;
  };
  struct kept_set {
    std::weak_ptr<const detail::row_set> set;
    std::uint64_t last_use = 0;
    std::map<std::int64_t, copy> copies;           // by first row; no two of them share rows
    std::map<std::uint64_t, std::int64_t> by_use;  // first rows, by last use
  };
  struct resident {
    std::weak_ptr<device_resident> what;
    const device_resident* address;  // compared, never followed
    std::uint64_t set, last_use;
  };
  sized_buffer take(std::size_t bytes, std::string_view owner);
  bool forget_dead_sets() noexcept;
  bool evict_one() noexcept;
  bool move_one();

  std::shared_ptr<buffers> buffers_;
  std::map<const detail::row_set*, kept_set> sets_;
  std::vector<resident> residents_;
  std::uint64_t clock_ = 0;
};

}  // namespace pappus::memory
