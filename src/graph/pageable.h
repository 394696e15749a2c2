// Memory at fixed addresses, of which what nobody uses may be on a disk: large arrays lie in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace pappus::graph {

class pageable {
 public:
  virtual ~pageable() = default;
  /// The same for all of its life. What isn't leased mustn't be touched.
  virtual std::byte* data() const noexcept = 0;
  /// So many launches more are going to use it, or fewer: what none will use goes to the disk
  /// first.
  virtual void expect_users(int more) noexcept = 0;
};

/// Bytes [begin, end) of pageable memory, and what is done with them.
struct leased_bytes {
  pageable* of = nullptr;
  std::size_t begin = 0, end = 0;
  bool reads = true;   ///< false: all of them are written, whatever they were
  bool writes = true;  ///< others may have the same bytes at the same time all the same
};

/// As long as it exists its bytes are in memory.
class lease {
 public:
  lease() = default;
  virtual ~lease() = default;
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;
};
using lease_ptr = std::unique_ptr<const lease>;

/// How long a lease lasts.
enum class lease_time : std::uint8_t {
  brief,  ///< until its thread is done, which waits for no other lease meanwhile
  open,   ///< as long as somebody likes: nobody waits for its end
};

/// May be used by any threads.
class pageable_store {
 public:
  virtual ~pageable_store() = default;

  /// Memory whose content is unspecified. Null: so few bytes, or all where nothing can go to a
  /// disk, are better kept in ordinary memory. Throws memory_error where neither the memory limit
  /// nor the disk has room.
  virtual std::shared_ptr<pageable> make(std::size_t bytes, std::string_view owner) = 0;

  /// Brings bytes to memory, all of them or none. Where there is no room it waits for brief leases
  /// to end, and holds nothing meanwhile. Throws memory_error, which names `owner`, where they
  /// can't be there together, and spill_error.
  virtual lease_ptr take(std::span<const leased_bytes> wanted, lease_time lasts,
                         std::string_view owner) = 0;

  /// Bytes that come and go together: what of them isn't leased is moved, too.
  virtual std::size_t section_bytes() const noexcept = 0;
  /// Who can do with less should take no more at a time, so that several threads find room.
  virtual std::size_t lease_max() const noexcept = 0;
};

}  // namespace pappus::graph
