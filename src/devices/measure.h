// Measures how fast a device is, for the planner.
//
// Every number is typical of several measurements: during a single one another program may have
// held the bus. Copies are measured small, for the latency, and large, for the rate; kernels
// likewise. A build is measured with a text that no cache can know.
#pragma once

#include <string>
#include <vector>

#include "devices/device.h"

namespace pappus::devices {

/// GB are 1e9 bytes.
struct measured_rates {
  double launch_us = 0;        ///< a kernel without work, until the host knows it is done
  double transfer_us = 0;      ///< the smallest copy, the slower direction
  double to_gb_per_s = 0;      ///< large copies from the host
  double from_gb_per_s = 0;    ///< large copies to the host
  double memory_gb_per_s = 0;  ///< bytes read and written by a kernel that only does that
  double build_ms = 0;         ///< of a small kernel, uncached, with its first launch
};

/// Takes a second or two and up to 128 MiB on the device. The caller is the device's one thread.
/// Throws device_error.
measured_rates measure(device& d);

/// Model and version: devices of equal kind are equally fast, and their kernels the same.
std::string kind(const properties& about);

/// The mean of the samples that lie around their median; outliers don't count. At least one sample.
double typical(std::vector<double> samples);

}  // namespace pappus::devices
