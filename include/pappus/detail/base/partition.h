// Where a loop puts rows that are partitioned by their keys.
//
// A partition's rows gather in a small buffer that stays in a core's cache until a group of them
// leaves for memory at once; the library (algorithms/partition.h) does the latter. So a row goes
// straight from where the loop computed it to its partition's buffer, and isn't copied in between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::detail {

/// The buffers of one worker. A partition's has room for group_rows keys, and behind them for as
/// many values.
struct partition_buffers {
  static constexpr std::size_t group_rows = 16;

  std::byte* buffers = nullptr;      ///< of all partitions, one after the other
  std::uint32_t* waiting = nullptr;  ///< rows in each buffer, less than group_rows
  unsigned shift = 0;                ///< right shift that makes partition numbers
  void* range = nullptr;
  /// Takes the rows of a full buffer, and sets their number back to 0.
  void (*flush)(partition_buffers& self, std::uint32_t partition) = nullptr;
};

}  // namespace pappus::detail
