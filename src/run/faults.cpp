#include "run/faults.h"

namespace pappus::run {

using devices::fault;

const char* consequence(fault what) {
  switch (what) {
    case fault::out_of_memory:
      return "out of memory";
    case fault::build_failed:
      return "its compiler refused the stage's code";
    case fault::launch_failed:
      return "an operation failed";
    case fault::lost:
      return "the device was lost";
  }
  return "failed";
}

}  // namespace pappus::run
