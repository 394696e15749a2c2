// What is said of devices' faults.
#pragma once

#include "devices/kernel.h"

namespace pappus::run {

/// "the device was lost".
const char* consequence(devices::fault what);

}  // namespace pappus::run
