#include "codegen/element/captured.h"

#include <cstring>

#include "base/own_memory.h"

namespace pappus::codegen {

bool copy_references(std::span<const captured_reference> references,
                     std::vector<std::byte>& values) {
  for (const auto& reference : references) {
    void* from = nullptr;
    std::memcpy(&from, reference.pointer, sizeof from);
    if (from == nullptr) continue;  // not followed then, or C++ doesn't say what happens
    if (!base::copy_if_there(values.data() + reference.to, from, reference.bytes)) return false;
  }
  return true;
}

}  // namespace pappus::codegen
