// Keys of a known range.
#pragma once

#include <cstdint>

namespace pappus {

/// Says that keys are integers from 0 to size - 1. Tables are then indexed by key, and group_by's
/// result has groups without records, too.
struct domain {
  std::int64_t size = 0;
};

}  // namespace pappus
