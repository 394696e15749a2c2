// What the planner knows of the machine. A value: tests plan for machines that don't exist.
#pragma once

#include <cstddef>

namespace pappus::cost {

struct machine {
  unsigned threads = 1;
  std::size_t host_memory = 0;        ///< budget, bytes
  std::size_t cache_bytes = 1 << 20;  ///< per core, what a work item should stay within
  double memory_gb_per_s = 20;        ///< all threads together, 1e9 bytes
  double launch_us = 5;               ///< to start a parallel phase
};

/// The machine this process runs on; bandwidth is a cautious guess until `pappus devices --measure`
/// has stored a measurement.
machine this_machine(unsigned threads, std::size_t host_memory);

/// Predicted time of a phase that moves `bytes`, seconds.
double streaming_seconds(const machine& m, double bytes);

}  // namespace pappus::cost
