// Counts the records that lack a value, while they are in the cache of the thread that made them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pappus/detail/base/columns.h"
#include "pappus/detail/base/missing_counts.h"

namespace pappus::formats {

class missing_cells {
 public:
  /// Of the layout's columns those that may be missing, and that somebody looks at.
  explicit missing_cells(const detail::record_layout& layout);

  /// Counts n records. From any thread, as the next two.
  void add(const std::byte* records, std::int64_t n) noexcept;
  /// Records of which columns are counted one by one.
  void add_rows(std::int64_t n) noexcept { rows_.fetch_add(n, std::memory_order_relaxed); }
  /// \param presence  of a column
  void add_column(std::size_t presence, const std::byte* records, std::int64_t n) noexcept;

  /// What was counted since the last call.
  detail::missing_counts take();

 private:
  std::size_t record_bytes_;
  std::vector<std::size_t> presences_;
  std::vector<std::atomic<std::int64_t>> missing_;  // of each
  std::atomic<std::int64_t> rows_{0};
};

}  // namespace pappus::formats
