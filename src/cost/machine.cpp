#include "cost/machine.h"

#include <unistd.h>

namespace pappus::cost {

machine this_machine(unsigned threads, std::size_t host_memory) {
  machine m;
  m.threads = threads;
  m.host_memory = host_memory;
  const long l2 = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (l2 > 0) m.cache_bytes = static_cast<std::size_t>(l2);
  // One core draws some 15 GB/s from today's memories, and a socket saturates near eight of them.
  m.memory_gb_per_s = 15.0 * (threads < 8 ? threads : 8);
  return m;
}

double streaming_seconds(const machine& m, double bytes) {
  return m.launch_us * 1e-6 + bytes / (m.memory_gb_per_s * 1e9);
}

}  // namespace pappus::cost
