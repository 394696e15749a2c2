// Which rows of a stage each of its devices computes, chunk by chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "chunk_loop/chunk_operator.h"
#include "chunk_loop/stage_run.h"

namespace pappus::chunk_loop {

/// Chunks that a device has under way: while the kernels of one run, the next is uploaded and the
/// one before it downloaded.
inline constexpr std::size_t jobs_under_way = 2;

struct row_range {
  std::int64_t first, rows;
};

/// The chunks of each device, in row order.
using shares = std::vector<std::deque<row_range>>;

/// Device memory that a row of a chunk takes.
double bytes_per_row(const stage_run& run, const chunk_operator& with);

/// Deals all rows in chunks that fit the smallest of the devices, in turn. Where inputs lie on
/// devices already, each computes what it has; where that isn't possible, the stage runs on the one
/// that has all, or inputs are downloaded: then `run` changes.
shares deal(stage_run& run, const chunk_operator& with);

}  // namespace pappus::chunk_loop
