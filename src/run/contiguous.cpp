#include <algorithm>
#include <cstring>

#include "algorithms/rows_in.h"
#include "base/owned.h"
#include "cpu_ops/contract.h"
#include "pappus/detail/base/integers.h"
#include "run/executor.h"

namespace pappus::run {

detail::rows_ptr contiguous(const detail::rows_ptr& rows, detail::workers& team,
                            const std::shared_ptr<detail::memory_source>& memory) {
  return rows->contiguous() ? rows : copied(rows, team, memory);
}

detail::rows_ptr copied(const detail::rows_ptr& rows, detail::workers& team,
                        const std::shared_ptr<detail::memory_source>& memory) {
  auto buffer = copied(*rows, 0, rows->rows(), team, *memory, "contiguous copy");
  auto copy = algorithms::rows_in(std::move(buffer), rows->layout(), rows->rows(), memory);
  copy->keep_owners_of(*rows);
  copy->know_missing_of(*rows);
  return copy;
}

detail::buffer copied(const detail::row_set& rows, std::int64_t first, std::int64_t count,
                      detail::workers& team, detail::memory_source& memory,
                      std::string_view owner) {
  const auto& chunks = rows.chunks();
  const std::size_t size = rows.layout().size;
  detail::buffer buffer(memory, static_cast<std::size_t>(count) * size, owner);
  // Chunks may be tiny or huge: work items are runs of rows, not chunks.
  const std::int64_t per_item =
      std::max<std::int64_t>(1, (std::int64_t{1} << 20) / static_cast<std::int64_t>(size));
  const auto items = static_cast<std::size_t>(detail::ceil_div(count, per_item));
  detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
    std::int64_t row = first + static_cast<std::int64_t>(item) * per_item;
    const std::int64_t end = std::min(row + per_item, first + count);
    for (std::size_t i = rows.find(row); row < end; ++i) {
      const std::int64_t n = std::min(end, chunks[i].first + chunks[i].rows) - row;
      std::memcpy(buffer.data() + static_cast<std::size_t>(row - first) * size,
                  chunks[i].data + static_cast<std::size_t>(row - chunks[i].first) * size,
                  static_cast<std::size_t>(n) * size);
      row += n;
    }
  });
  return buffer;
}

detail::rows_ptr read_rows(std::vector<graph::row_store::copy> wanted,
                           const detail::record_type& layout, const resources& with,
                           std::string_view owner) {
  std::int64_t rows = 0;
  for (const auto& one : wanted) rows += one.rows;
  detail::buffer records(*with.memory, static_cast<std::size_t>(rows) * layout.size, owner);
  auto* to = records.data();
  for (auto& one : wanted) {
    one.to = to;
    to += static_cast<std::size_t>(one.rows) * layout.size;
  }
  auto text = cpu_ops::room_for_text(wanted, *with.memory, owner);
  with.store->read(wanted, with.team, owner);
  auto set = algorithms::rows_in(std::move(records), layout, rows, with.memory);
  for (const auto& one : wanted)
    for (const auto& owner : one.of->owners()) set->keep(owner);
  if (text.data() != nullptr) set->keep(base::owned(std::move(text), with.memory));
  return set;
}

}  // namespace pappus::run
