// Which bytes of its input records a kernel function reads.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "compiler/kernel_function.h"

namespace pappus::compiler {

/// Offset and size of each, ascending; they neither overlap nor touch.
using byte_ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The bytes read of the record that is the parameter with this number, but by what throws; none
/// where an address depends on data.
std::optional<byte_ranges> reads_of(const kernel_function& function, unsigned parameter);

/// Whether the function may throw, or end the program: what it reads for that isn't copied here.
bool may_trap(const kernel_function& function);

}  // namespace pappus::compiler
