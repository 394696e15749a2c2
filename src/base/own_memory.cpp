#include "base/own_memory.h"

#include <fcntl.h>
#include <unistd.h>

namespace pappus::base {

/// Through a pipe, which holds as much: the kernel refuses to read what isn't there. Sandboxes let
/// programs have pipes where they forbid process_vm_readv().
bool copy_if_there(void* to, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t most = 4096;
  int ends[2];
  if (bytes > most || ::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const auto wanted = static_cast<ssize_t>(bytes);
  const bool copied =
      ::write(ends[1], from, bytes) == wanted && ::read(ends[0], to, bytes) == wanted;
  ::close(ends[0]);
  ::close(ends[1]);
  return copied;
}

}  // namespace pappus::base
