// The loop over a stage's chunks, on one or several devices.
//
// Rows are cut into chunks that fit the device's budget twice, so that the copies of one overlap
// the kernels of the other. Where a chunk ends can't change a result: operators whose result
// depends on the grouping of rows ask for multiples of a fixed number of rows. Chunks are dealt to
// the devices in turn (deal.h), so that in a loop each finds its own again.
#pragma once

#include "chunk_loop/chunk_operator.h"
#include "chunk_loop/stage_run.h"

namespace pappus::chunk_loop {

/// Runs an operator over all chunks of the stage. Throws device_error when memory doesn't suffice
/// for the smallest chunk or the device fails, needs_cpu (stage_run.h), and cancelled.
void stream_chunks(stage_run& run, chunk_operator& with);

}  // namespace pappus::chunk_loop
