// Variables that lambdas captured by reference: their bytes are part of a stage's values and are
// copied anew before each run, so that a device sees what the CPU would.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pappus::device_ops {

struct captured_reference {
  const std::byte* pointer = nullptr;  ///< where the pointer lies, in the stage's element
  std::size_t to = 0, bytes = 0;       ///< which of the values it becomes
};

/// Copies what is referred to. A captured pointer needn't point to anything that can be read: then
/// false, and not a crash.
bool copy_references(std::span<const captured_reference> references,
                     std::vector<std::byte>& values);

}  // namespace pappus::device_ops
