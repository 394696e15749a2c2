// Rows that a stage left on a device: they stay there until the device needs the room, and lie on
// the host then, whose store may have them go to the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "chunk_loop/device_session.h"
#include "graph/kept_rows.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::chunk_loop {

struct stage_run;

/// Rows at the start of a buffer of a device, or on the host. Used under the device's lock.
class device_part final : public memory::device_resident {
 public:
  /// Rows of the result of a stage, which nothing writes anymore once `block` has no other owner.
  /// Takes the lock. O(parts on the device).
  /// \param set  a number that all parts of the result share: see next_set()
  static std::shared_ptr<device_part> make(device_session& on, memory::device_buffer_ptr block,
                                           std::int64_t rows, const stage_run& from,
                                           std::uint64_t set);
  static std::uint64_t next_set();

  device_session& on() const noexcept { return on_; }
  std::int64_t rows() const noexcept { return rows_; }
  const detail::record_type& layout() const noexcept { return layout_; }
  /// The rows on the device; null: they were moved. While somebody has it they aren't.
  memory::device_buffer_ptr block();
  /// The rows after they were moved, which stay in memory while somebody has them; null: they rest.
  detail::rows_ptr in_host_memory();
  /// Copies rows [first, first + n) after they were moved, wherever they are. Throws cancelled, and
  /// spill_error, which names `owner`.
  void copy(std::int64_t first, std::int64_t n, std::byte* to, detail::workers& team,
            std::string_view owner);
  /// A copy of them is on the device again, as a whole.
  void came_back(memory::device_buffer_ptr block);

  bool is_on_host() const noexcept override { return moved_ || kept_; }
  bool move_to_host() override;

 private:
  device_part(device_session& on, memory::device_buffer_ptr block, std::int64_t rows,
              const stage_run& from);

  device_session& on_;
  const std::int64_t rows_;
  const detail::record_type layout_;
  const std::shared_ptr<memory::pool> host_memory_;
  graph::row_store* const store_;  // null: they stay in memory
  const std::string owner_;
  memory::device_buffer_ptr block_;
  std::shared_ptr<graph::kept_rows> kept_;  // once they were moved; these or
  detail::rows_ptr moved_;
};

}  // namespace pappus::chunk_loop
