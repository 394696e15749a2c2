// Options of sessions that have so much memory, and a folder for the rest.
#pragma once

#include <cstddef>

#include "pappus/session.h"
#include "support/spill_folder.h"

namespace pappus::testing {

inline options settings(const spill_folder& folder, std::size_t memory, unsigned threads = 2) {
  return {.threads = threads, .host_memory = memory, .devices = "cpu", .spill = folder.path()};
}

}  // namespace pappus::testing
