// Which bytes of its input records a kernel function reads.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Offset and size of each, ascending; they neither overlap nor touch.
using byte_ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The bytes read of the record that is the parameter with this number; none where an address
/// depends on data.
std::optional<byte_ranges> reads_of(const kernel_function& function, unsigned parameter);

}  // namespace pappus::compiler
