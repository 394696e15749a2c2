#include "chunk_loop/join_image.h"

#include "algorithms/join_index.h"
#include "chunk_loop/stage_run.h"
#include "graph/operator_entry.h"

namespace pappus::chunk_loop {
namespace {

static_assert(sizeof(join_image::header) == 64, "text/join.cl goes on behind 64 bytes");

enum found_by : std::uint64_t { nothing, consecutive_keys, domain, hash };

std::span<const std::byte> bytes_of(const detail::buffer& memory) {
  return {memory.data(), memory.size()};
}

}  // namespace

bool is_join_index(const graph::node& n, std::size_t side) {
  return n.stage.sides[side]->op->is_join_index();
}

join_image image_of(const detail::row_set& side) {
  const auto& row = *reinterpret_cast<const detail::join_side*>(side.data());
  const auto& index = *static_cast<const algorithms::join_index*>(row.index);
  join_image image;
  auto& head = image.head;
  if (index.rows > 0xffffffff) throw needs_cpu{"a join's right side has more than 2^32 rows"};
  if (index.consecutive) {
    head.found_by = consecutive_keys;
    head.base = index.base;
    head.size = index.rows;
  } else if (index.table) {
    const auto table = index.table->as_it_lies();
    head.found_by = table.domain.size > 0 ? domain : hash;
    head.base = table.domain.base.lo;
    head.size = table.domain.size;
    head.seed = table.seed;
    head.region_buckets = table.region_buckets;
    head.region_bits = table.region_bits;
    image.table = bytes_of(table.index);
    image.rows = bytes_of(table.rows);
    head.rows_at = sizeof head + image.table.size();
  }
  return image;
}

}  // namespace pappus::chunk_loop
