// Rows in memory: what one stage leaves for the next.
//
// A row set is a list of chunks of any length. Rows are numbered from 0 across all chunks, and only
// that number, never a chunk boundary, may influence a result. Most sets are one contiguous chunk;
// a filter leaves one for each morsel of its input.
//
// Where a stage reads its input block by block, few columns of wide records say, they needn't lie
// in chunks: a record_maker puts each block into a cache of the thread that reads it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/missing_counts.h"

namespace pappus::detail {

struct chunk {
  const std::byte* data = nullptr;
  std::int64_t first = 0;  ///< number of its first row
  std::int64_t rows = 0;
};

/// Makes records that are nowhere as a whole, of columns say.
class record_maker {
 public:
  virtual ~record_maker() = default;
  /// Puts records [first, first + rows) to `out`. Bytes that nobody reads stay as they are there.
  /// From any thread.
  virtual void make(std::int64_t first, std::int64_t rows, std::byte* out) const = 0;
  /// Of rows [first, end) those that come first and are all alike: there, so that they can be
  /// made, or left out, so that they mustn't: they are numbered, but the reader's first filter
  /// drops each of them. From any thread.
  struct stretch {
    std::int64_t end;
    bool left_out = false;
  };
  virtual stretch next(std::int64_t /*first*/, std::int64_t end) const { return {end}; }
};

/// Immutable once built. Owns its buffers and keeps alive what its records point into (strings).
class row_set {
 public:
  explicit row_set(record_type layout) : layout_(layout) {}

  /// A set that borrows memory the caller keeps alive.
  row_set(record_type layout, const void* data, std::int64_t rows) : layout_(layout) {
    append(static_cast<const std::byte*>(data), rows);
  }

  /// A set without chunks, for those who make its records block by block where they read them.
  row_set(record_type layout, std::shared_ptr<const record_maker> maker, std::int64_t rows)
      : layout_(layout), rows_(rows), maker_(std::move(maker)) {}

  void append(const std::byte* data, std::int64_t rows) {
    if (rows == 0) return;
    if (!chunks_.empty()) {  // neighbours in memory are one chunk
      chunk& last = chunks_.back();
      if (last.data + static_cast<std::size_t>(last.rows) * layout_.size == data) {
        last.rows += rows;
        rows_ += rows;
        return;
      }
    }
    chunks_.push_back({data, rows_, rows});
    rows_ += rows;
  }
  /// Appends the rows of another set, which this one keeps alive.
  void append(std::shared_ptr<const row_set> other) {
    for (const auto& piece : other->chunks_) append(piece.data, piece.rows);
    know_missing_of(*other);
    keep_owners_of(*other);
    hold(std::move(other));
  }
  void own(buffer memory) { buffers_.push_back(std::move(memory)); }
  void keep(std::shared_ptr<const void> owner) {
    if (owner && std::find(owners_.begin(), owners_.end(), owner) == owners_.end())
      owners_.push_back(std::move(owner));
  }
  void keep_owners_of(const row_set& other) {
    for (const auto& owner : other.owners_) keep(owner);
  }

  /// The same where records of this set may point to text of the other's.
  void keep_text_of(const row_set& other) {
    if (layout_.may_point()) keep_owners_of(other);
  }

  /// Keeps alive what only this set needs, such as an index. keep_owners_of() doesn't copy it to
  /// other sets.
  void hold(std::shared_ptr<const void> owner) { held_.push_back(std::move(owner)); }

  /// Whether the rows need what only this set keeps alive (hold()).
  bool holds() const noexcept { return !held_.empty(); }
  const std::vector<std::shared_ptr<const void>>& owners() const noexcept { return owners_; }
  const std::vector<buffer>& buffers() const noexcept { return buffers_; }
  /// Its buffers, of a set that nobody else has. Its rows mustn't be used afterwards.
  std::vector<buffer> take_buffers() noexcept { return std::move(buffers_); }

  /// Row numbers at which partitions 0, 1, ... end; empty if the rows aren't known to lie partition
  /// by partition.
  const std::vector<std::int64_t>& partition_ends() const noexcept { return partition_ends_; }
  void partitioned(std::vector<std::int64_t> ends) { partition_ends_ = std::move(ends); }

  /// What its readers counted of the rows; null: they didn't, of all of them.
  const missing_counts* missing() const noexcept {
    return missing_.rows == rows_ && rows_ > 0 ? &missing_ : nullptr;
  }
  /// Tells of rows that are appended, or have been.
  void know_missing(const missing_counts& more) { missing_.add(more); }
  /// The same of rows that are all of another set's.
  void know_missing_of(const row_set& other) {
    if (const auto* counts = other.missing()) know_missing(*counts);
  }

  /// Whether the rows lie in one buffer of its own and need nothing else.
  bool owns_its_memory() const noexcept {
    return chunks_.size() <= 1 && buffers_.size() <= 1 && held_.empty() &&
           (chunks_.empty() || (!buffers_.empty() && buffers_.front().data() == data()));
  }

  const record_type& layout() const noexcept { return layout_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::size_t bytes() const noexcept { return static_cast<std::size_t>(rows_) * layout_.size; }
  const std::vector<chunk>& chunks() const noexcept { return chunks_; }
  /// Null: the records lie in chunks.
  const record_maker* maker() const noexcept { return maker_.get(); }
  bool contiguous() const noexcept { return chunks_.size() <= 1; }

  /// The first row of a contiguous set; null when it is empty.
  const std::byte* data() const noexcept {
    return chunks_.empty() ? nullptr : chunks_.front().data;
  }

  /// Index of the chunk that holds row `row` (0 <= row < rows()). O(log chunks).
  std::size_t find(std::int64_t row) const noexcept {
    std::size_t low = 0, high = chunks_.size();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (chunks_[middle].first <= row ? low : high) = middle;
    }
    return low;
  }

 private:
  record_type layout_;
  std::int64_t rows_ = 0;
  std::vector<chunk> chunks_;
  std::vector<std::int64_t> partition_ends_;
  std::vector<std::shared_ptr<const void>> owners_;  // outlive buffers_: the pool is one of them
  std::vector<std::shared_ptr<const void>> held_;
  std::vector<buffer> buffers_;
  std::shared_ptr<const record_maker> maker_;
  missing_counts missing_;
};

using rows_ptr = std::shared_ptr<const row_set>;

}  // namespace pappus::detail
