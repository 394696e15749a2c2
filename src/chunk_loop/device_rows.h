// Rows on devices: what one stage leaves there for the next.
//
// Like row_set (detail/base/chunks.h), but each chunk lies on some device, while that has room.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "chunk_loop/device_part.h"
#include "pappus/detail/base/chunks.h"

namespace pappus::chunk_loop {

struct device_chunk {
  device_session* on = nullptr;
  std::shared_ptr<device_part> part;
  std::int64_t first = 0, rows = 0;
};

/// Immutable once built, but for where its chunks lie.
class device_rows {
 public:
  explicit device_rows(detail::record_type layout) : layout_(layout) {}

  /// Takes chunks in row order; empty ones are left out.
  void append(std::shared_ptr<device_part> part) {
    const auto rows = part->rows();
    if (rows == 0) return;
    auto& on = part->on();
    chunks_.push_back({&on, std::move(part), rows_, rows});
    rows_ += rows;
  }

  const detail::record_type& layout() const noexcept { return layout_; }
  std::int64_t rows() const noexcept { return rows_; }
  const std::vector<device_chunk>& chunks() const noexcept { return chunks_; }

 private:
  detail::record_type layout_;
  std::int64_t rows_ = 0;
  std::vector<device_chunk> chunks_;
};
using device_rows_ptr = std::shared_ptr<const device_rows>;

/// Copies the rows to the host, as one chunk.
detail::rows_ptr download(const device_rows& rows, const std::shared_ptr<memory::pool>& host,
                          detail::workers& team, std::string_view owner);
/// The same of rows [first, first + count) alone.
detail::rows_ptr download(const device_rows& rows, std::int64_t first, std::int64_t count,
                          const std::shared_ptr<memory::pool>& host, detail::workers& team,
                          std::string_view owner);

/// Notes on the devices that rows on the host are copies of these, so that they needn't be uploaded
/// again: the state of a do_while stays where it is.
void keep_copies(const device_rows& rows, const detail::rows_ptr& on_host);

}  // namespace pappus::chunk_loop
