#include "ops/pace.h"

namespace pappus::ops {

std::atomic<pretended_time> pretended_row_ns{nullptr};

}  // namespace pappus::ops
