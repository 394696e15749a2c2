// Sessions with less memory than their arrays take.
#pragma once

#include <cstddef>

#include "support/spill_settings.h"

namespace pappus::testing {

inline constexpr std::size_t mib = std::size_t{1} << 20;

}  // namespace pappus::testing
