#include "levels/kernels.h"

#include <atomic>

#include "levels/tables.h"

namespace pappus::levels {
namespace {

std::atomic<level>& chosen() {
  static std::atomic<level> value = available().back();
  return value;
}

}  // namespace

const kernels& kernels_of(level of) noexcept {
#if defined(PAPPUS_LEVELS)
  if (of == level::v4) return kernels_v4;
  if (of == level::v3) return kernels_v3;
#endif
  return kernels_v2;
}

void use(level of) noexcept { chosen().store(of, std::memory_order_relaxed); }
level in_use() noexcept { return chosen().load(std::memory_order_relaxed); }
const kernels& own() noexcept { return kernels_of(in_use()); }

}  // namespace pappus::levels
