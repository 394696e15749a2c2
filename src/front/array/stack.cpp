#include "front/array/stack.h"

#include <pthread.h>

#include <cstdint>
#include <cstring>

// AddressSanitizer may keep local variables elsewhere; null without it.
extern "C" {
[[gnu::weak]] void* __asan_get_current_fake_stack();
[[gnu::weak]] void* __asan_addr_is_in_fake_stack(void* stack, void* address, void** begin,
                                                 void** end);
}

namespace pappus::detail {
namespace {

struct stack_bounds {
  std::uintptr_t low = 0, high = 0;
};

/// Of this thread; asking is slow, so it is asked once.
const stack_bounds& own_stack() {
  thread_local const stack_bounds bounds = [] {
    stack_bounds found;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
    void* low = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
      found.low = reinterpret_cast<std::uintptr_t>(low);
      found.high = found.low + size;
    }
    pthread_attr_destroy(&attributes);
    return found;
  }();
  return bounds;
}

bool is_on_sanitizers_stack(std::uintptr_t address) {
  if (&__asan_get_current_fake_stack == nullptr || &__asan_addr_is_in_fake_stack == nullptr)
    return false;
  void* const stack = __asan_get_current_fake_stack();
  return stack != nullptr && __asan_addr_is_in_fake_stack(stack, reinterpret_cast<void*>(address),
                                                          nullptr, nullptr) != nullptr;
}

}  // namespace

bool is_on_stack(const void* address) {
  const auto& stack = own_stack();
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return (stack.low <= number && number < stack.high) || is_on_sanitizers_stack(number);
}

bool copy_from_stack(const void* from, std::size_t bytes, void* to) {
  if (&__asan_get_current_fake_stack != nullptr) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  const auto in_use = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto high = own_stack().high;
  if (begin < in_use || begin >= high || high - begin < bytes) return false;
  std::memcpy(to, from, bytes);
  return true;
}

bool refers_to_stack(const void* captures, std::size_t bytes) {
  if (bytes < sizeof(void*)) return false;
  const auto* from = static_cast<const std::byte*>(captures);
  for (std::size_t at = 0; at + sizeof(void*) <= bytes; at += alignof(void*)) {
    const void* address = nullptr;
    std::memcpy(&address, from + at, sizeof address);
    if (is_on_stack(address)) return true;
  }
  return false;
}

}  // namespace pappus::detail
