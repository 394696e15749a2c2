#include <algorithm>
#include <cstring>

#include "algorithms/rows_in.h"
#include "pappus/detail/base/integers.h"
#include "run/executor.h"

namespace pappus::run {

detail::rows_ptr contiguous(const detail::rows_ptr& rows, detail::workers& team,
                            const std::shared_ptr<detail::memory_source>& memory) {
  return rows->contiguous() ? rows : copied(rows, team, memory);
}

detail::rows_ptr copied(const detail::rows_ptr& rows, detail::workers& team,
                        const std::shared_ptr<detail::memory_source>& memory) {
  detail::buffer buffer(*memory, rows->bytes(), "contiguous copy");
  const auto& chunks = rows->chunks();
  const std::size_t size = rows->layout().size;
  // Chunks may be tiny or huge: work items are runs of rows, not chunks.
  const std::int64_t per_item =
      std::max<std::int64_t>(1, (std::int64_t{1} << 20) / static_cast<std::int64_t>(size));
  const auto items = static_cast<std::size_t>(detail::ceil_div(rows->rows(), per_item));
  detail::parallel_chunks(team, items, [&](std::size_t item, unsigned) {
    std::int64_t row = static_cast<std::int64_t>(item) * per_item;
    const std::int64_t end = std::min(row + per_item, rows->rows());
    for (std::size_t i = rows->find(row); row < end; ++i) {
      const std::int64_t n = std::min(end, chunks[i].first + chunks[i].rows) - row;
      std::memcpy(buffer.data() + static_cast<std::size_t>(row) * size,
                  chunks[i].data + static_cast<std::size_t>(row - chunks[i].first) * size,
                  static_cast<std::size_t>(n) * size);
      row += n;
    }
  });
  auto copy = algorithms::rows_in(std::move(buffer), rows->layout(), rows->rows(), memory);
  copy->keep_owners_of(*rows);
  return copy;
}

}  // namespace pappus::run
