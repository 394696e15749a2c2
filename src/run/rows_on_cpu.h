// Computes some rows of a stage on the CPU while the stage runs on devices.
#pragma once

#include <cstdint>

#include "chunk_loop/stage_run.h"

namespace pappus::run {

/// What chunk_loop::stage_run::rows_on_cpu says.
detail::rows_ptr rows_on_cpu(const chunk_loop::stage_run& run, std::int64_t first,
                             std::int64_t rows);

}  // namespace pappus::run
