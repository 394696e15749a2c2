#include "chunk_loop/device_part.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <utility>

#include "algorithms/rows_in.h"
#include "chunk_loop/stage_run.h"
#include "pappus/error.h"

namespace pappus::chunk_loop {

device_part::device_part(device_session& on, memory::device_buffer_ptr block, std::int64_t rows,
                         const stage_run& from)
    : on_(on),
      rows_(rows),
      layout_(from.node.out),
      host_memory_(from.host_memory),
      store_(from.store),
      owner_(from.owner),
      block_(std::move(block)) {}

std::shared_ptr<device_part> device_part::make(device_session& on, memory::device_buffer_ptr block,
                                               std::int64_t rows, const stage_run& from,
                                               std::uint64_t set) {
  const std::lock_guard lock(on.on().lock);
  std::shared_ptr<device_part> made(new device_part(on, std::move(block), rows, from));
  on.memory().add(made, set);
  return made;
}

std::uint64_t device_part::next_set() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

memory::device_buffer_ptr device_part::block() {
  if (block_) on_.memory().used(*this);
  return block_;
}

detail::rows_ptr device_part::in_host_memory() { return kept_ ? kept_->in_memory() : moved_; }

void device_part::copy(std::int64_t first, std::int64_t n, std::byte* to, detail::workers& team,
                       std::string_view owner) {
  if (const auto rows = in_host_memory()) {
    std::memcpy(to, rows->data() + static_cast<std::size_t>(first) * layout_.size,
                static_cast<std::size_t>(n) * layout_.size);
    return;
  }
  const std::array wanted{graph::row_store::copy{kept_, first, n, to}};
  store_->read(wanted, team, owner);
}

void device_part::came_back(memory::device_buffer_ptr block) {
  block_ = std::move(block);
  on_.memory().used(*this);
}

/// The copy on the host is kept: what came back goes again for nothing.
bool device_part::move_to_host() {
  if (!block_ || block_.use_count() > 1) return false;
  if (!is_on_host()) try {
      const auto bytes = static_cast<std::size_t>(rows_) * layout_.size;
      detail::buffer memory(*host_memory_, bytes, owner_);
      // Reads that wait for kernels may be before this one.
      on_.uploads().flush();
      on_.kernels().flush();
      on_.read_and_wait(on_.downloads(), *block_->memory, 0, memory.data(), bytes);
      auto rows = algorithms::rows_in(std::move(memory), layout_, rows_, host_memory_);
      if (store_ != nullptr)
        kept_ = store_->keep(std::move(rows));
      else
        moved_ = std::move(rows);
      on_.moved_bytes += static_cast<double>(bytes);
    } catch (const memory_error&) {
      return false;
    } catch (const spill_error&) {
      return false;
    }
  block_.reset();
  return true;
}

}  // namespace pappus::chunk_loop
