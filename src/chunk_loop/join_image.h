// A join's index in the form in which kernels look keys up (device_ops/text/join.cl).
//
// A stage that probes has a side whose single row points to the index in the host's memory. Devices
// that compile kernels get one buffer in place of that row: a header, then the index's table and
// rows as they lie on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graph/node.h"
#include "pappus/detail/base/chunks.h"

namespace pappus::chunk_loop {

struct join_image {
  struct header {  // join_index in text/join.cl
    std::uint64_t found_by = 0, base = 0, size = 0;
    std::uint64_t seed = 0, region_buckets = 0, region_bits = 0;
    std::uint64_t rows_at = sizeof(header), unused = 0;
  };
  header head;
  std::span<const std::byte> table, rows;  ///< lie behind the header; rows at head.rows_at
  std::size_t bytes() const noexcept { return head.rows_at + rows.size(); }
};

/// Whether a side of the stage is the row that points to a join's index.
bool is_join_index(const graph::node& n, std::size_t side);

/// The image of the index that `side` points to; valid as long as the side's rows. Throws needs_cpu
/// for a build side whose row numbers need more than 32 bits.
join_image image_of(const detail::row_set& side);

}  // namespace pappus::chunk_loop
