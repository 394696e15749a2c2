// Two devices for the tests of this program.
#pragma once

#include <gtest/gtest.h>

#include "support/driver_environment.h"

namespace pappus::testing {

[[maybe_unused]] inline const auto* const environment =
    ::testing::AddGlobalTestEnvironment(new driver_environment("basic basic", kernels::not_kept));

}  // namespace pappus::testing
