#include "base/memory_scale.h"

#include <atomic>

namespace pappus::base {
namespace {

constinit std::atomic<std::size_t> scale_now = 1;

}  // namespace

std::size_t memory_scale() noexcept { return scale_now.load(std::memory_order_relaxed); }
void set_memory_scale(std::size_t scale) noexcept {
  scale_now.store(scale, std::memory_order_relaxed);
}

}  // namespace pappus::base
