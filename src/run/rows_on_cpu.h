// A part of a device's stage, on the CPU.
#pragma once

#include <cstdint>

#include "chunk_loop/stage_run.h"

namespace pappus::run {

/// For stage_run::rows_on_cpu.
detail::rows_ptr rows_on_cpu(const chunk_loop::stage_run& run, std::int64_t first,
                             std::int64_t rows);

}  // namespace pappus::run
