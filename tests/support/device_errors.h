// What calls of devices throw.
#pragma once

#include <gtest/gtest.h>

#include "devices/kernel.h"

namespace pappus::testing {

/// The device_error that a call ends with; one of a lost device, and a failure, if it ends without.
devices::device_error error_of(const auto& call) {
  try {
    call();
  } catch (const devices::device_error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {devices::fault::lost, "", ""};
}

}  // namespace pappus::testing
