#include "device_ops/operators/group_sizes.h"

#include <algorithm>
#include <bit>

#include "algorithms/dense_groups.h"
#include "algorithms/group_leaves.h"
#include "chunk_loop/blocks.h"

namespace pappus::device_ops {

using chunk_loop::group_items;
using detail::group_params;

bool has_leaf_tables(const group_params& params) {
  return params.domain >= 0 && algorithms::group_has_leaf_tables(params);
}

std::size_t private_table(const group_params& params) {
  constexpr std::size_t bytes_max = 32 << 10;
  if (!has_leaf_tables(params)) return 0;
  const std::size_t states = std::bit_ceil(static_cast<std::size_t>(params.domain));
  return states * params.state_bytes <= bytes_max ? states : 0;
}

std::size_t value_bytes(const group_params& params) {
  return params.payload_bytes == 0 ? 0 : std::max<std::size_t>(params.payload_bytes, 8);
}

std::size_t tile_rows(const group_params& params) {
  constexpr std::size_t local_bytes = 24 << 10, rows_min = 32;  // OpenCL promises 32 KiB
  const std::size_t rows = local_bytes / (value_bytes(params) + sizeof(std::uint32_t));
  return rows < rows_min ? 0 : std::min(std::bit_floor(rows), group_items);
}

bool has_group_tables(const group_params& params) {
  constexpr std::int64_t groups_max = 16384;
  return tile_rows(params) > 0 && params.domain <= groups_max;
}

double scratch_row_bytes(const group_params& params) {
  return static_cast<double>(2 * params.key_bytes + 2 * 4 + value_bytes(params) + 4);
}
double group_bytes(const group_params& params) {
  return static_cast<double>(params.key_bytes + params.state_bytes);
}

std::int64_t leaf_rows(const graph::node& n) {
  constexpr double leaf_bytes = 20 << 20;  // twice in 64 MiB, with some to spare
  const auto& params = n.as<group_params>();
  if (has_leaf_tables(params)) return algorithms::group_leaf_rows(params);
  double row = scratch_row_bytes(params) + group_bytes(params);
  for (const auto& input : n.stage.inputs) row += static_cast<double>(input->out.size);
  const auto rows = std::bit_floor(static_cast<std::uint64_t>(leaf_bytes / row));
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(rows, 1u << 12, 1u << 19));
}

std::int64_t hash_table_room(const group_params& params, std::int64_t leaf_rows) {
  constexpr double cache_bytes = 512 << 10;
  constexpr std::int64_t most = 16384, least = 64;
  const auto fit = static_cast<std::int64_t>(cache_bytes / group_bytes(params));
  const auto room = std::min({fit, most, leaf_rows / 8});
  return room < least ? 0 : room;
}

std::size_t slots_for(std::int64_t room) {
  return std::bit_ceil(static_cast<std::size_t>(room + room / 2));
}

}  // namespace pappus::device_ops
