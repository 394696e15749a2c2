// Sizes that deliver's entry (which tells how much memory it takes) and its CPU version share.
#pragma once

#include <cstdint>

namespace pappus::ops {

/// Bytes of the rows that are computed, then delivered, at a time: counted in the input or in the
/// output, whichever is wider. A quarter of what is free, if that is less, but not below the least.
inline constexpr std::int64_t deliver_run_bytes = std::int64_t{32} << 20,
                              deliver_run_bytes_least = std::int64_t{256} << 10;

}  // namespace pappus::ops
