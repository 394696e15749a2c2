// Sessions with less memory than their arrays take, and small sections of these.
#pragma once

#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::testing {

using arrays_larger_than_memory = scaled_test;

}  // namespace pappus::testing
