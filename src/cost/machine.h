// What the planner knows of the machine. A value: tests plan for machines that don't exist.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pappus::cost {

/// How fast a device with memory of its own is. GB are 1e9 bytes. Guesses until
/// `pappus devices --measure` has measured it.
struct device_rates {
  std::string name;             ///< "opencl:0"
  std::string kind;             ///< model and version; devices of one kind may share a stage's rows
  bool host_memory = false;     ///< its memory is the host's, and charged to the host's budget
  double memory_bytes = 0;      ///< its budget
  double launch_us = 40;        ///< to start a kernel and learn that it is done
  double transfer_us = 40;      ///< of a copy to or from it, however small
  double to_gb_per_s = 10;      ///< copies from the host
  double from_gb_per_s = 10;    ///< copies to the host
  double memory_gb_per_s = 10;  ///< what kernels read and write
  double gops_per_s = 20;       ///< 1e9 simple instructions (cost/work.h), by the whole device
  double build_ms = 100;        ///< to compile a kernel that no cache has
  std::string measured;         ///< the day, "2026-03-31"; empty: these are guesses
};

struct machine {
  unsigned threads = 1;
  std::size_t host_memory = 0;              ///< budget, bytes
  std::size_t cache_bytes = 1 << 20;        ///< of a core; a work item's data should fit
  std::size_t last_cache_bytes = 16 << 20;  ///< that cores share
  double memory_gb_per_s = 20;              ///< all threads together, 1e9 bytes
  double launch_us = 5;                     ///< to start a parallel phase
  double core_gops = 5;  ///< 1e9 simple instructions (cost/work.h) a second and thread
  bool cpu = true;       ///< false: the CPU runs only stages that no device can
  std::vector<device_rates> devices{};
};

/// The name the processor gives itself.
std::string processor_name();

/// The machine this process runs on, without devices; its bandwidth is a cautious guess.
machine this_machine(unsigned threads, std::size_t host_memory);

/// Rates of a device that was never measured.
device_rates guessed_rates(bool like_cpu, unsigned compute_units);

/// Memory bandwidth that `threads` threads reach where `measured_threads` reached `gb_per_s`.
double scaled_bandwidth(double gb_per_s, unsigned measured_threads, unsigned threads);

/// Predicted time of a phase that moves `bytes`, seconds.
double streaming_seconds(const machine& m, double bytes);

}  // namespace pappus::cost
