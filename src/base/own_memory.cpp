#include "base/own_memory.h"

#if defined(__linux__)
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace pappus::base {

bool copy_if_there(void* to, const void* from, std::size_t bytes) noexcept {
#if defined(__linux__)
  const iovec own{to, bytes}, there{const_cast<void*>(from), bytes};
  return ::process_vm_readv(::getpid(), &own, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
#else
  static_cast<void>(to), static_cast<void>(from), static_cast<void>(bytes);
  return false;
#endif
}

}  // namespace pappus::base
