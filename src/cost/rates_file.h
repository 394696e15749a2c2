// Measured rates, kept between runs in a file that people can read and edit:
//
//   {"pappus_rates": 1,
//    "cpus": [{"name": "...", "threads": 8, "memory_gb_per_s": 71.2, "measured": "2026-03-31"}],
//    "devices": [{"name": "opencl:0", "kind": "...", "memory_bytes": 8e9, "launch_us": 12, ...}],
//    "disks": [{"folder": "/var/tmp", "write_gb_per_s": 1.2, "read_gb_per_s": 2.5, ...}]}
//
// A processor is known by its name, a device by its kind (model and version), because one home
// directory may serve many machines; a disk by the folder that spill files are made in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/machine.h"

namespace pappus::cost {

struct cpu_rates {
  std::string name;
  unsigned threads = 1;        ///< with which it was measured
  double memory_gb_per_s = 0;  ///< of these threads together, 1e9 bytes
  std::string measured;        ///< the day, "2026-03-31"
};

struct disk_rates {
  std::string folder;
  double write_gb_per_s = 0, read_gb_per_s = 0;  ///< 1e9 bytes
  std::string measured;                          ///< as in cpu_rates
};

struct stored_rates {
  std::vector<cpu_rates> cpus;
  std::vector<device_rates> devices;
  std::vector<disk_rates> disks;
  std::string warning;  ///< why the file was ignored, naming it; empty: it wasn't

  const cpu_rates* find_cpu(std::string_view name) const;
  /// The device of this kind; where there are several, preferably the one of this name.
  const device_rates* find_device(std::string_view kind, std::string_view name) const;
  const disk_rates* find_disk(std::string_view folder) const;
  /// Adds rates or replaces those of the same processor, device or folder.
  void remember(cpu_rates rates);
  void remember(device_rates rates);
  void remember(disk_rates rates);
};

/// Replaces the guessed bandwidth of this process's processor, if it was measured.
void use_measured(machine& m, const stored_rates& rates);

/// The file's path: PAPPUS_MACHINE, else pappus/machine.json below XDG_CACHE_HOME or ~/.cache.
/// Empty where none of these variables (nor HOME) is set.
std::string rates_path();

/// What the file holds. A missing one (or an empty path) holds nothing; one that can't be read,
/// isn't of this format or has impossible rates is ignored as a whole, with a warning. Never
/// throws.
stored_rates load_rates(const std::string& path);

/// Replaces the file at once: others see the old one or the new one. Makes its folder. Throws
/// error naming the path.
void store_rates(const std::string& path, const stored_rates& rates);

}  // namespace pappus::cost
