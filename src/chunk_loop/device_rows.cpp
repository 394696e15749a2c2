#include "chunk_loop/device_rows.h"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "algorithms/rows_in.h"
#include "chunk_loop/overlaps.h"

namespace pappus::chunk_loop {

using devices::device_error;
using devices::fault;

detail::rows_ptr download(const device_rows& rows, const std::shared_ptr<memory::pool>& host,
                          detail::workers& team, std::string_view owner) {
  return download(rows, 0, rows.rows(), host, team, owner);
}

detail::rows_ptr download(const device_rows& rows, std::int64_t first, std::int64_t count,
                          const std::shared_ptr<memory::pool>& host, detail::workers& team,
                          std::string_view owner) {
  const std::size_t row_bytes = rows.layout().size;
  detail::buffer memory(*host, static_cast<std::size_t>(count) * row_bytes, owner);
  for_overlaps(
      rows.chunks(), first, count, [&](const auto& chunk, std::int64_t row, std::int64_t n) {
        const std::lock_guard lock(chunk.on->on().lock);
        const auto offset = static_cast<std::size_t>(row - chunk.first) * row_bytes;
        const auto bytes = static_cast<std::size_t>(n) * row_bytes;
        auto* const to = memory.data() + static_cast<std::size_t>(row - first) * row_bytes;
        const auto block = chunk.part->block();
        if (!block) {
          chunk.part->copy(row - chunk.first, n, to, team, owner);
          return;
        }
        if (chunk.on->on().lost)
          throw device_error(fault::lost, chunk.on->about().name,
                             fmt::format("{}: its rows were on this device", owner));
        try {
          chunk.on->read_and_wait(chunk.on->downloads(), *block->memory, offset, to, bytes);
        } catch (const device_error& e) {
          if (e.what_failed == fault::lost)
            chunk.on->on().lost = true;
          else
            chunk.on->renew_queues();
          throw;
        }
      });
  return algorithms::rows_in(std::move(memory), rows.layout(), count, host);
}

void keep_copies(const device_rows& rows, const detail::rows_ptr& on_host) {
  for (const auto& chunk : rows.chunks()) {
    const std::lock_guard lock(chunk.on->on().lock);
    if (auto block = chunk.part->block())
      chunk.on->memory().keep(on_host, chunk.first, chunk.rows, std::move(block));
  }
}

}  // namespace pappus::chunk_loop
