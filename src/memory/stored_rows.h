// Rows that a store keeps: in memory, on the disk, or some here and some there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/text_heap.h"
#include "memory/store.h"

namespace pappus::memory {

/// Bytes with an identity, and where they are.
struct chunk {
  std::size_t bytes = 0;
  std::vector<std::span<const std::byte>>
      parts;                           ///< of the copy in memory, in order; none: no copy
  std::vector<detail::buffer> memory;  ///< where these lie
  std::size_t charged = 0;             ///< bytes that `memory` takes of the budget
  spill_file::extent_ptr disk;         ///< null: no copy
  bool in_memory() const noexcept { return !parts.empty(); }
};

/// Rows that fill a chunk.
struct fragment {
  std::shared_ptr<chunk> what;
  std::int64_t rows = 0;
};

/// Chunks of about 16 MiB or a buffer each that hold all rows of a set; their memory is still the
/// set's, and in_buffers tells which buffers (by number) each of them needs. Nothing where rows lie
/// in what isn't the set's own.
struct cut_rows {
  std::vector<fragment> fragments;
  std::vector<std::vector<std::size_t>> in_buffers;
};
std::optional<cut_rows> cut(const detail::row_set& rows);

/// The text that rows point to, where it moves with them: behind the records of the one chunk.
struct own_text {
  base::text_index index;
  std::shared_ptr<const detail::buffer> memory{};  ///< null: it isn't in memory
  std::uintptr_t written_from = 0;                 ///< where it lay when it went to the disk

  /// Where records point to, here and on the disk.
  std::uintptr_t begin() const noexcept {
    return memory ? reinterpret_cast<std::uintptr_t>(memory->data()) : written_from;
  }
};

class stored_rows final : public graph::kept_rows {
 public:
  /// \param can_rest  what cut() found; else they stay in memory.
  /// \param text      of rows in one buffer, which nobody else has.
  stored_rows(std::shared_ptr<store> of, detail::rows_ptr rows, bool can_rest,
              std::optional<own_text> text = {});
  ~stored_rows() override;

  std::int64_t rows() const noexcept override { return rows_; }
  detail::rows_ptr in_memory() override;
  detail::rows_ptr wake(std::string_view owner, const detail::workers* for_whom) override;
  bool lost() const noexcept override { return lost_.load(std::memory_order_relaxed); }
  std::span<const std::shared_ptr<const void>> owners() const noexcept override { return owners_; }
  std::string about() override;
  rows_where where();
  std::size_t text_bytes(std::int64_t first, std::int64_t rows) const noexcept override {
    return text_ ? text_->index.of(first, rows).bytes() : 0;
  }

 private:
  friend class store;
  // All are called with the store's mutex locked.
  bool pinned() const noexcept {
    return busy_ || readers_ > 0 || awake_.use_count() > 1 || text_in_use();
  }
  /// Somebody has what keeps the text alive, though not the rows.
  bool text_in_use() const noexcept {
    return text_ && text_->memory.use_count() > (awake_ != nullptr ? 2 : 1);
  }
  /// What pins them ends by itself, without memory.
  bool soon_free() const noexcept {
    return being_written_ || (readers_ > 0 && !busy_ && awake_.use_count() <= 1 && !text_in_use());
  }
  void take_apart();
  void take_apart_with_text();
  detail::rows_ptr put_together();
  void load(fragment& one, std::string_view owner, const detail::workers* for_whom,
            std::unique_lock<std::mutex>& lock);
  std::size_t record_bytes() const noexcept {
    return static_cast<std::size_t>(rows_) * layout_.size;
  }

  const std::shared_ptr<store> store_;
  const detail::record_type layout_;
  const std::int64_t rows_;
  const std::size_t bytes_;
  const bool can_rest_;
  const std::vector<std::shared_ptr<const void>> owners_;
  const std::vector<std::int64_t> partition_ends_;
  const detail::missing_counts missing_;
  std::atomic<bool> lost_{false};
  // Guarded by the store's mutex. Where rows can't rest, awake_ never changes.
  detail::rows_ptr awake_;           // null: somebody must put them together first
  std::vector<fragment> fragments_;  // none: the rows are where they were when they came
  std::size_t charged_;              // by the buffers of awake_, as long as there are no fragments
  std::optional<own_text> text_;     // the index never changes
  std::uint64_t last_use_ = 0;
  std::size_t readers_ = 0;     // threads without the mutex that copy from chunks
  bool busy_ = false;           // a thread without the mutex moves one of the chunks
  bool being_written_ = false;  // that is a write
};

}  // namespace pappus::memory
