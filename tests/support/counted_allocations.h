// Counts what a program takes by operator new. It defines that: one file of a program includes it.
// Sanitizers have one of their own, which finds more.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "support/sanitizers.h"

namespace pappus::testing {

inline constexpr bool allocations_are_counted = !sanitized;

/// Bytes since the program began, by all threads: all that were ever taken, and those that haven't
/// been given back. What is aligned more strictly than malloc does isn't counted.
inline std::atomic<std::int64_t> bytes_taken{0}, bytes_held{0};

}  // namespace pappus::testing

#ifndef PAPPUS_TEST_SANITIZED
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  const auto size = static_cast<std::int64_t>(::malloc_usable_size(memory));
  pappus::testing::bytes_taken.fetch_add(size, std::memory_order_relaxed);
  pappus::testing::bytes_held.fetch_add(size, std::memory_order_relaxed);
  return memory;
}

void operator delete(void* memory) noexcept {
  const auto size = static_cast<std::int64_t>(::malloc_usable_size(memory));
  pappus::testing::bytes_held.fetch_sub(size, std::memory_order_relaxed);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { ::operator delete(memory); }
#endif
