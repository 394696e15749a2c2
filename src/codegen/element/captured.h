// Values that functions captured, as their device versions are given them: the struct values_t,
// byte by byte.
//
// Its layout belongs to the text and is shared by all stages that have that; the bytes are each
// stage's own. Variables that lambdas captured by reference are part of them, and copied anew
// before each run, so that a device sees what the CPU would.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pappus::codegen {

struct captured_reference {
  const std::byte* pointer = nullptr;  ///< where the pointer lies, in the stage's element
  std::size_t to = 0, bytes = 0;       ///< which of the values it becomes
};

struct captured_values {
  std::vector<std::byte> bytes;
  std::vector<captured_reference> references;
};

/// Which of the values that a stage's description mentions, counted from 0, go where in values_t.
struct captured_layout {
  struct place {
    std::size_t value = 0, to = 0, bytes = 0;
  };
  struct reference {
    std::size_t value = 0, offset = 0;  ///< the pointer lies here in that value
    std::size_t to = 0, bytes = 0;
  };
  std::size_t bytes = 0;
  std::vector<place> places;
  std::vector<reference> references;
};

/// Copies what is referred to; of null pointers, which functions have to ask for before they follow
/// them, zeros. A captured pointer needn't point to anything that can be read: then false, and not
/// a crash.
bool copy_references(std::span<const captured_reference> references,
                     std::vector<std::byte>& values);

}  // namespace pappus::codegen
