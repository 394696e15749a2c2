// A join's index as devices that compile look keys up in it: text/join.cl.
//
// A stage that probes has a side whose single row refers to the index in the host's memory. In its
// place such devices get one buffer: a header and the table as it lies there.
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
  std::span<const std::byte> table, rows;  ///< from the header's end on; from rows_at on
  std::size_t bytes() const noexcept { return head.rows_at + rows.size(); }
};

/// Whether a stage's side is such a row.
bool is_join_index(const graph::node& n, std::size_t side);

/// Valid as long as the side's rows. Throws needs_cpu for a build side whose rows need more than 32
/// bits.
join_image image_of(const detail::row_set& side);

}  // namespace pappus::chunk_loop
