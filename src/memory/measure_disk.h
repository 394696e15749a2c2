// Measures how fast the disk of a spill file is.
#pragma once

#include "memory/spill_file.h"

namespace pappus::memory {

/// GB are 1e9 bytes.
struct measured_disk {
  double write_gb_per_s = 0, read_gb_per_s = 0;
};

/// Writes 256 MiB to a file of its own, as a store does, and reads them; checksums included. Takes
/// as long as the disk does. Throws spill_error.
measured_disk measure_disk(const spill_settings& settings);

}  // namespace pappus::memory
