// Which rows of a stage each of its devices computes, chunk by chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "chunk_loop/chunk_operator.h"
#include "chunk_loop/stage_run.h"

namespace pappus::chunk_loop {

/// Chunks that a device has under way at a time: while the kernels of one run, the next is uploaded
/// and the one before it downloaded.
inline constexpr std::size_t jobs_under_way = 2;

struct row_range {
  std::int64_t first, rows;
};

/// The chunks of each device, in row order.
using shares = std::vector<std::deque<row_range>>;

/// Bytes of device memory that a chunk takes per row.
double bytes_per_row(const stage_run& run, const chunk_operator& with);

/// Deals all rows to the devices in turn, in chunks that fit the smallest of them. Where inputs lie
/// on devices already, each device computes the rows that it has. If that isn't possible, `run` is
/// changed: only the device that has all inputs runs the stage, or inputs are downloaded.
shares deal(stage_run& run, const chunk_operator& with);

}  // namespace pappus::chunk_loop
