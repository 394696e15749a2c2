// What a test device is asked to be, in C++ and as text (PAPPUS_DEVICES=test:TEXT).
//
// Text: KEY=VALUE, separated by '+' (a comma separates devices). Defaults in brackets:
//   seed=7          of everything that is random [1]
//   memory=64MiB    of the device [64MiB]
//   buffer=16MiB    the largest buffer [a quarter of the memory, which is what OpenCL promises]
//   delay_us=20     the longest delay before an operation; 0: none [20]
//   like=cpu        or gpu: what the device says of itself [cpu]
//   oom=0.01        probability of out_of_memory at each call that can have it [0]
//   build=0.05      the same of build_failed,
//   launch=0.001    of launch_failed,
//   lost=0.0005     of lost
//   at=123/lost     this fault at call 123 (counted from 0), or at the first call after it that can
//                   have it. May be given several times
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "devices/kernel.h"

namespace pappus::devices::test {

/// The calls that are numbered, and that a fault can strike.
enum class call_kind : std::uint8_t {
  allocate,
  make_queue,
  build,
  write,
  read,
  copy,
  fill,
  launch,
  flush,
  wait,
  finish
};
std::string_view to_string(call_kind kind);
std::string_view to_string(fault what);

/// The faults that a real device could have at such a call.
std::span<const fault> possible_faults(call_kind kind);

struct planned_fault {
  std::uint64_t call = 0;  ///< its number, from 0, or the first after it that can have the fault
  fault what = fault::lost;
  friend bool operator==(const planned_fault&, const planned_fault&) = default;
};

struct settings {
  std::uint64_t seed = 1;
  std::size_t memory_bytes = std::size_t{64} << 20;
  std::size_t buffer_bytes_max = 0;  ///< 0: a quarter of the memory
  unsigned delay_us = 20;
  bool like_cpu = true;
  double out_of_memory = 0, build_failed = 0, launch_failed = 0, lost = 0;
  std::vector<planned_fault> at;

  double probability(fault what) const;
};

/// Reads the text above. Throws usage_error naming what is allowed.
settings parse(std::string_view text);

}  // namespace pappus::devices::test
