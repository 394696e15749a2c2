#include "codegen/element/captured.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstring>

namespace pappus::codegen {

// The kernel copies, because it reports unreadable memory in place of a signal.
bool copy_references(std::span<const captured_reference> references,
                     std::vector<std::byte>& values) {
  for (const auto& reference : references) {
    void* from = nullptr;
    std::memcpy(&from, reference.pointer, sizeof from);
    if (from == nullptr) continue;  // not followed then, or C++ doesn't say what happens
    const iovec local{values.data() + reference.to, reference.bytes};
    const iovec remote{from, reference.bytes};
    const auto copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (copied < 0 || static_cast<std::size_t>(copied) != reference.bytes) return false;
  }
  return true;
}

}  // namespace pappus::codegen
