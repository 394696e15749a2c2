// What partitions, hash tables and sorts share: loading keys and dispatching on their width. The
// hashes are in include/pappus/detail/base/hash.h, because loops use them too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "pappus/detail/base/bits.h"
#include "pappus/detail/base/hash.h"
#include "pappus/error.h"

namespace pappus::algorithms {

using detail::bits128;
using detail::hash;
using detail::mix;
using detail::round_up;

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
void store(std::byte* to, const T& value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Calls f(std::uint32_t{}), f(std::uint64_t{}) or f(bits128{}).
template <typename F>
decltype(auto) with_key_type(std::size_t key_bytes, F&& f) {
  switch (key_bytes) {
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    case 16:
      return f(bits128{});
    default:
      throw usage_error("keys as bits: expected 4, 8 or 16 bytes a key, got " +
                        std::to_string(key_bytes) + "; widen the key to the next of these sizes");
  }
}

}  // namespace pappus::algorithms
