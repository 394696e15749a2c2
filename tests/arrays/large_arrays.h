// Sessions with less memory than their arrays take.
#pragma once

#include <cstddef>

#include "pappus/pappus.h"
#include "support/spill_folder.h"

namespace pappus::testing {

inline constexpr std::size_t mib = std::size_t{1} << 20;

inline options settings(const spill_folder& folder, std::size_t memory, unsigned threads = 2) {
  return {.threads = threads,
          .host_memory = memory,
          .devices = "cpu",
          .spill = memory == 0 ? "off" : folder.path()};
}

}  // namespace pappus::testing
