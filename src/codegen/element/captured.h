// Values that functions captured, in the form in which their device versions get them: the bytes of
// the struct values_t.
//
// Its layout belongs to the text and is shared by all stages with that text; the bytes are each
// stage's own. Variables that lambdas captured by reference are part of the bytes and copied anew
// before each run, so that a device sees what the CPU would.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pappus::codegen {

struct captured_reference {
  const std::byte* pointer = nullptr;  ///< where the pointer lies, in the stage's element
  std::size_t to = 0, bytes = 0;       ///< where its target is copied to in values_t
};

struct captured_values {
  std::vector<std::byte> bytes;
  std::vector<captured_reference> references;
};

/// Where in values_t the values go that a stage's description mentions. They are numbered from 0 in
/// the order in which they are mentioned.
struct captured_layout {
  struct place {
    std::size_t value = 0, to = 0, bytes = 0;
  };
  struct reference {
    std::size_t value = 0, offset = 0;  ///< the pointer lies at this offset of this value
    std::size_t to = 0, bytes = 0;      ///< of its target in values_t
  };
  std::size_t bytes = 0;
  std::vector<place> places;
  std::vector<reference> references;
};

/// Copies the targets of references into `values`. Null pointers, which functions have to test for
/// before they follow them, leave what is there. Returns false, and doesn't crash, where a pointer
/// leads to memory that can't be read.
bool copy_references(std::span<const captured_reference> references,
                     std::vector<std::byte>& values);

}  // namespace pappus::codegen
