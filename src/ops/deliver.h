// What the sizes of a delivery and its running share.
#pragma once

#include <cstdint>

namespace pappus::ops {

/// Rows are computed and delivered in runs of about so many bytes, of the wider of input and
/// output.
inline constexpr std::int64_t deliver_run_bytes = std::int64_t{32} << 20;

}  // namespace pappus::ops
