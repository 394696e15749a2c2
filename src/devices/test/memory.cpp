#include "devices/test/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PAPPUS_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PAPPUS_ADDRESS_SANITIZER 1
#endif

#ifdef PAPPUS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace pappus::devices::test {
namespace {

constexpr std::align_val_t alignment{128};  // of OpenCL's largest type, long16

[[maybe_unused]] std::optional<std::size_t> first_written(const std::byte* zone, std::size_t n) {
  // Every byte equals the next one: one call, and this runs after each kernel.
  if (*zone == std::byte{poison} && std::memcmp(zone, zone + 1, n - 1) == 0) return std::nullopt;
  const auto found =
      std::find_if(zone, zone + n, [](std::byte b) { return b != std::byte{poison}; });
  return static_cast<std::size_t>(found - zone);
}

}  // namespace

guarded_memory::guarded_memory(std::size_t bytes)
    : bytes_(bytes),
      block_(static_cast<std::byte*>(::operator new(bytes + 2 * zone_bytes, alignment))) {
  std::memset(block_, poison, bytes + 2 * zone_bytes);
#ifdef PAPPUS_ADDRESS_SANITIZER
  __asan_poison_memory_region(block_, zone_bytes);
  __asan_poison_memory_region(data() + bytes_, zone_bytes);
#endif
}

guarded_memory::~guarded_memory() {
#ifdef PAPPUS_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(block_, bytes_ + 2 * zone_bytes);
#endif
  ::operator delete(block_, alignment);
}

std::optional<std::ptrdiff_t> guarded_memory::damage() const {
#ifndef PAPPUS_ADDRESS_SANITIZER
  if (const auto before = first_written(block_, zone_bytes))
    return static_cast<std::ptrdiff_t>(*before) - static_cast<std::ptrdiff_t>(zone_bytes);
  if (const auto behind = first_written(data() + bytes_, zone_bytes))
    return static_cast<std::ptrdiff_t>(bytes_ + *behind);
#endif
  return std::nullopt;
}

}  // namespace pappus::devices::test
