// What tests divide the engine's sizes by, so that few rows do what takes many: go to the disk,
// come in several windows, have leaves of each kind. These are sizes of memory that a session is
// charged, and numbers of rows that go with them; not those of a loop's blocks.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

namespace pappus::base {

/// 1, but in tests.
std::size_t memory_scale() noexcept;

/// While no session exists, nor memory of one.
/// \param scale  a power of two, at most 16: no scaled page is smaller than the system's
void set_memory_scale(std::size_t scale) noexcept;

/// A size, in bytes or rows, as memory_scale() has it.
template <std::integral T>
T scaled(T size) noexcept {
  return size / static_cast<T>(memory_scale());
}

/// The size that is nearest, of those between `least` and `most` as memory_scale() has them.
template <std::integral T>
T scaled_clamp(T size, T least, T most) noexcept {
  return std::clamp(size, scaled(least), scaled(most));
}

}  // namespace pappus::base
