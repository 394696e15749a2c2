#include "cost/machine.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace pappus::cost {
namespace {

// One core draws some 15 GB/s from today's memories, and a socket saturates near eight of them.
constexpr double core_gb_per_s = 15;
constexpr unsigned saturating_threads = 8;

// 1e9 simple instructions a second (cost/work.h). Cores: machine::core_gops. A compute unit of a
// graphics card starts 64 to 128 a cycle, at 1 to 2 GHz; half of that where rows diverge.
constexpr double core_gops = 5, compute_unit_gops = 50;

}  // namespace

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown processor";
}

namespace {

/// What this process can count on of the cache that cores share: virtual machines are told the size
/// of all of it, however many others use it.
std::size_t last_cache(unsigned threads) {
  constexpr std::size_t core_share = 4 << 20, least = 8 << 20;
  const auto share = std::max(threads * core_share, least);
  const long all = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  return all > 0 ? std::min(static_cast<std::size_t>(all), share) : share;
}

}  // namespace

machine this_machine(unsigned threads, std::size_t host_memory) {
  machine m;
  m.threads = threads;
  m.host_memory = host_memory;
  const long l2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (l2 > 0) m.cache_bytes = static_cast<std::size_t>(l2);
  m.last_cache_bytes = last_cache(threads);
  m.memory_gb_per_s = core_gb_per_s * std::min(threads, saturating_threads);
  return m;
}

device_rates guessed_rates(bool like_cpu, unsigned compute_units) {
  device_rates guess;
  if (like_cpu) {
    guess.memory_gb_per_s = core_gb_per_s * std::clamp(compute_units, 1u, saturating_threads);
    guess.gops_per_s = core_gops * std::max(compute_units, 1u);
    return guess;
  }
  // A card of the middle class in a slot with eight lanes.
  guess.launch_us = 15;
  guess.transfer_us = 15;
  guess.memory_gb_per_s = 200;
  guess.gops_per_s = compute_unit_gops * std::max(compute_units, 1u);
  return guess;
}

double scaled_bandwidth(double gb_per_s, unsigned measured_threads, unsigned threads) {
  const auto drawing = [](unsigned n) { return std::clamp(n, 1u, saturating_threads); };
  return gb_per_s * drawing(threads) / drawing(measured_threads);
}

double streaming_seconds(const machine& m, double bytes) {
  return m.launch_us * 1e-6 + bytes / (m.memory_gb_per_s * 1e9);
}

}  // namespace pappus::cost
