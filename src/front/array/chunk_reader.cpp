#include "front/array/chunk_reader.h"

#include <algorithm>
#include <cstring>

#include "graph/chunked.h"
#include "regions/parts.h"

namespace pappus::detail {

std::size_t chunk_reader::scratch_bytes() const noexcept {
  return graph::chunk_bytes(*of_->file) + of_->file->scratch_bytes();
}

/// The elements that are wanted lie in rows of the slowest dimension that has several, and these in
/// some chunks, of which each worker takes one. Chunks of which more is wanted later stay, if
/// memory has room.
void chunk_reader::read_numbers(workers& team, std::int64_t first, std::int64_t end,
                                std::byte* out) {
  auto rows = where_;
  const auto low = regions::place_in(where_, first), high = regions::place_in(where_, end - 1);
  for (std::size_t d = 0; d < rows.rank; ++d) {
    rows.low[d] = low[d], rows.high[d] = high[d] + 1;
    if (low[d] != high[d]) break;
  }
  const auto& chunks = of_->file->chunks();
  const auto cells = chunks.cells(rows);
  parallel_chunks(team, static_cast<std::size_t>(cells.volume()), [&](std::size_t n, unsigned) {
    const auto at = regions::place_in(cells, static_cast<std::int64_t>(n));
    const auto elements = regions::intersect(chunks.cell(at), rows);
    copy(elements, first, end, out);
  });
}

/// Those of a chunk that have numbers of [first, end) among the rows.
void chunk_reader::copy(const regions::box& elements, std::int64_t first, std::int64_t end,
                        std::byte* out) const {
  const auto size = static_cast<std::int64_t>(of_->element.size);
  graph::wanted_elements wanted{.of = of_->file, .elements = {elements}};
  const auto lease = elements_->source.chunks->take({&wanted, 1}, "rows of an array");
  regions::each_row(elements, [&](const regions::box& row) {
    const auto number = regions::number_in(where_, row.low);
    const auto begin = std::max(number, first), last = std::min(number + row.volume(), end);
    if (begin >= last) return;
    std::int64_t offset = begin - number;
    for (std::size_t d = 0; d < row.rank; ++d)
      offset += (row.low[d] - elements.low[d]) * wanted.strides[d];
    std::memcpy(out + (begin - first) * size, wanted.first + offset * size,
                static_cast<std::size_t>((last - begin) * size));
  });
}

}  // namespace pappus::detail
