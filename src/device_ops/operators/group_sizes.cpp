#include "device_ops/operators/group_sizes.h"

#include <algorithm>
#include <bit>

#include "algorithms/dense_groups.h"
#include "algorithms/group_leaves.h"
#include "chunk_loop/blocks.h"
#include "pappus/detail/base/integers.h"

namespace pappus::device_ops {

using chunk_loop::group_items;
using chunk_loop::has_item_blocks;
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

std::size_t table_leaves(const group_params& params) {
  constexpr std::size_t rows_min = 8;  // of each, in a tile
  if (!has_leaf_tables(params) || tile_rows(params) == 0) return 1;
  const auto states = static_cast<std::size_t>(std::max<std::int64_t>(params.domain, 1));
  if (states > group_items) return 1;
  return std::min(std::bit_floor(group_items / states), tile_rows(params) / rows_min);
}

double scratch_row_bytes(const group_params& params) {
  return static_cast<double>(2 * params.key_bytes + 2 * 4 + value_bytes(params) + 4);
}
double group_bytes(const group_params& params) {
  return static_cast<double>(params.key_bytes + params.state_bytes);
}

/// Where a leaf has a table. Devices that aren't like a CPU need thousands of leaves, as long as
/// those have eight rows a group, and a row for each 16 bytes of their table.
static std::int64_t table_leaf_rows(const group_params& params, std::int64_t rows,
                                    const chunk_loop::device_session& on) {
  constexpr std::int64_t leaves_wanted = 8192, least = 512;
  const auto most = algorithms::group_leaf_rows(params);
  if (on.about().like_cpu || !has_group_tables(params)) return most;
  const auto ceil = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
  };
  const auto for_tables = static_cast<std::int64_t>(algorithms::group_table_bytes(params) / 16);
  return std::min(most, std::max({least, ceil(detail::ceil_div(rows, leaves_wanted)),
                                  ceil(8 * params.domain), ceil(for_tables)}));
}

bool has_large_leaves(const group_params& params, const chunk_loop::device_session& on) {
  constexpr std::size_t much = std::size_t{8} << 30;
  return params.exact && !has_leaf_tables(params) && !has_item_blocks(on) &&
         !on.about().host_memory && on.memory().limit() >= much;
}

std::int64_t leaf_rows(const graph::node& n, std::int64_t rows,
                       const chunk_loop::device_session& on, bool large) {
  constexpr double small_bytes = 20 << 20;  // twice in 64 MiB, with some to spare
  constexpr double large_bytes = 2e9;
  const auto& params = n.as<group_params>();
  if (has_leaf_tables(params)) return table_leaf_rows(params, rows, on);
  double row = scratch_row_bytes(params) + group_bytes(params);
  for (const auto& input : n.stage.inputs) row += static_cast<double>(input->out.size);
  const double bytes =
      large ? std::min(static_cast<double>(on.memory().limit()) / 32, large_bytes) : small_bytes;
  const std::uint64_t most = large ? 1u << 24 : 1u << 19;
  const auto fit = std::bit_floor(static_cast<std::uint64_t>(bytes / row));
  return static_cast<std::int64_t>(std::clamp<std::uint64_t>(fit, 1u << 12, most));
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
