// Sessions with less memory than their arrays take, and small sections of these.
#pragma once

#include <gtest/gtest.h>

#include "support/scaled_memory.h"
#include "support/spill_settings.h"

namespace pappus::testing {

class arrays_larger_than_memory : public ::testing::Test {
 private:
  scaled_memory scaled_;
};

}  // namespace pappus::testing
