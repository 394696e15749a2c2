#include "cpu_ops/made_blocks.h"

#include <algorithm>

#include "pappus/detail/base/integers.h"

namespace pappus::cpu_ops {
namespace {

constexpr std::size_t block_bytes = std::size_t{24} << 10;  // with what a loop writes it fits L1
constexpr std::int64_t fewest_rows = 16, whole_rows = 64;   // of a block; lengths are multiples

}  // namespace

/// Bytes that the maker doesn't write are zero.
void made_blocks::own(input_block& one) {
  one.owned.resize(detail::ceil_div(one.bytes, sizeof(std::max_align_t)));
  one.memory = std::as_writable_bytes(std::span(one.owned));
}

void made_blocks::add(std::size_t input, const detail::row_set& rows) {
  const auto size = std::max<std::size_t>(rows.layout().size, 1);
  auto fit = static_cast<std::int64_t>(block_bytes / size);
  fit = fit >= whole_rows ? fit / whole_rows * whole_rows : std::max(fit, fewest_rows);
  fit = std::min(fit, std::max<std::int64_t>(rows.rows(), 1));
  made_.push_back({input, rows.maker(), static_cast<std::size_t>(fit) * size});
  rows_max_ = std::min(rows_max_, fit);
}

}  // namespace pappus::cpu_ops
