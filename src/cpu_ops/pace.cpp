#include "cpu_ops/pace.h"

namespace pappus::cpu_ops {

std::atomic<pretended_time> pretended_row_ns{nullptr};

}  // namespace pappus::cpu_ops
