// Text that moves together with the rows that point to it.
//
// The std::string_views of rows that lie side by side point anywhere. A heap is a copy of that text
// in the rows' order, so that those of any stretch of rows point into one stretch of it, and an
// index that tells which: an entry for each block of rows, and no row points to another block's
// text. Text that several rows of a block share is there once.
//
// Views on a disk are those that were written: pointers into the heap where it lay then. Whoever
// reads rows and their text to other places moves the views by the difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::base {

/// Where text lies in a heap.
class text_index {
 public:
  /// Bytes [begin, end) of the heap.
  struct stretch {
    std::size_t begin = 0, end = 0;
    std::size_t bytes() const noexcept { return end - begin; }
  };

  /// Of no rows; text_index::copy_text() makes others.
  explicit text_index(const detail::record_type& layout);

  /// Copies the text of records that lie side by side, and has them point to the copies, which are
  /// the bytes of the buffer. `layout` has views. O(rows + bytes), by all workers.
  detail::buffer copy_text(std::byte* records, std::int64_t rows, detail::memory_source& memory,
                           detail::workers& team, std::string_view owner);

  std::size_t bytes() const noexcept { return begins_.back(); }
  /// Where the text of rows [first, first + rows) lies.
  stretch of(std::int64_t first, std::int64_t rows) const noexcept;

  /// Has records point to text that they know where it lay before.
  void move_views(std::byte* records, std::int64_t rows, std::uintptr_t from,
                  const std::byte* to) const noexcept;

 private:
  class block;  // of rows: how its text is shared
  std::size_t bytes_of(const std::byte* records, std::int64_t rows, detail::workers& team) const;
  std::int64_t blocks() const noexcept { return static_cast<std::int64_t>(begins_.size()) - 1; }

  std::size_t record_bytes_;
  std::int64_t block_rows_ = 1;
  std::vector<detail::text_place> views_;
  std::vector<std::uint64_t> begins_;  // of each block's text in the heap; at last where all ends
};

}  // namespace pappus::base
