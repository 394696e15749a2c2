// Where a loop puts rows that are partitioned by their keys.
//
// A partition's rows gather in a small buffer that stays in a core's cache until a group of them
// leaves for memory at once; the library (algorithms/partition.h) does the latter. So a row goes
// straight from where the loop computed it to its partition's buffer, and isn't copied in between.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include "pappus/detail/base/integers.h"

namespace pappus::detail {

struct text_coder;  // text_code.h

/// The buffers of one worker. A partition's has room for group_rows keys, and behind them, from
/// values_at() on, for as many values.
struct partition_buffers {
  static constexpr std::size_t group_rows = 16;

  /// Bytes from a buffer to its values. Any type of so many bytes may lie there: its alignment
  /// divides its size, and is a page of 4096 at most.
  static constexpr std::size_t values_at(std::size_t key_bytes, std::size_t value_bytes) {
    const auto alignment = std::clamp<std::size_t>(value_bytes & (~value_bytes + 1), 1, 4096);
    return round_up(group_rows * key_bytes, alignment);
  }
  /// Bytes from a buffer to the next.
  static constexpr std::size_t bytes(std::size_t key_bytes, std::size_t value_bytes) {
    return values_at(key_bytes, value_bytes) + group_rows * value_bytes;
  }

  std::byte* buffers = nullptr;      ///< of all partitions, one after the other
  std::uint32_t* waiting = nullptr;  ///< rows in each buffer, less than group_rows
  unsigned shift = 0;                ///< right shift that makes partition numbers
  void* range = nullptr;
  /// Takes the rows of a full buffer, and sets their number back to 0.
  void (*flush)(partition_buffers& self, std::uint32_t partition) = nullptr;
  text_coder* texts = nullptr;  ///< where keys are codes of texts
};

/// Puts rows of one loop into buffers.
template <typename Key, typename Value, bool HasValue = true>
class partition_writer {
 public:
  explicit partition_writer(partition_buffers& to)
      : to_(&to), buffers_(to.buffers), waiting_(to.waiting) {}

  /// A row of a key and the value that make() returns.
  template <typename Make>
  [[gnu::always_inline]] void put(std::uint32_t partition, const Key& key, const Make& make) const {
    std::byte* const buffer = buffers_ + partition * buffer_bytes;
    const std::uint32_t slot = waiting_[partition]++;
    ::new (static_cast<void*>(reinterpret_cast<Key*>(buffer) + slot)) Key(key);
    if constexpr (HasValue)
      ::new (static_cast<void*>(reinterpret_cast<Value*>(buffer + values_at) + slot)) Value(make());
    if (slot + 1 == partition_buffers::group_rows) [[unlikely]]
      to_->flush(*to_, partition);
  }

 private:
  static constexpr std::size_t value_bytes = HasValue ? sizeof(Value) : 0;
  static constexpr std::size_t values_at = partition_buffers::values_at(sizeof(Key), value_bytes);
  static constexpr std::size_t buffer_bytes = partition_buffers::bytes(sizeof(Key), value_bytes);

  partition_buffers* to_;
  // In registers: nothing that is stored here can change them.
  std::byte* buffers_;
  std::uint32_t* waiting_;
};

}  // namespace pappus::detail
