// Which sanitizers watch a test. Under them it takes several times as long: what is tried at random
// or in many sizes has fewer cases there, since builds without them have all.
#pragma once

#ifdef __has_feature  // clang's; g++ has macros
#define PAPPUS_TEST_FEATURE(name) __has_feature(name)
#else
#define PAPPUS_TEST_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || PAPPUS_TEST_FEATURE(address_sanitizer)
#define PAPPUS_TEST_SANITIZED
#endif
#if defined(__SANITIZE_THREAD__) || PAPPUS_TEST_FEATURE(thread_sanitizer)
#define PAPPUS_TEST_SANITIZED
#define PAPPUS_TEST_THREADS_SANITIZED
#endif

namespace pappus::testing {

#ifdef PAPPUS_TEST_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// ThreadSanitizer: what runs in one thread has nothing to show it.
#ifdef PAPPUS_TEST_THREADS_SANITIZED
inline constexpr bool threads_sanitized = true;
#else
inline constexpr bool threads_sanitized = false;
#endif

}  // namespace pappus::testing
