// How many different keys there are among some.
#pragma once

#include <cstdint>
#include <span>

namespace pappus::detail {

/// Counts keys that lie side by side, which it puts in another order. O(n) by one thread, with a
/// table on the stack.
std::int64_t count_different(std::span<std::uint32_t> keys);
std::int64_t count_different(std::span<std::uint64_t> keys);

}  // namespace pappus::detail
