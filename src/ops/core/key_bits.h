// What partitions, hash tables and sorts share: loading keys, dispatching on their width, hashing.
//
// The hash is two multiplications with xor-shifts between them: a bijection on 64 bits whose high
// and low halves are both well mixed, and which compilers vectorise. Partitions and join tables use
// its top bits, group tables its low bits, so a table inside one partition still spreads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "pappus/detail/core/bits.h"
#include "pappus/error.h"

namespace pappus::ops {

using detail::bits128;

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

constexpr std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// A bijection; `seed` picks another one.
constexpr std::uint64_t mix(std::uint64_t x, std::uint64_t seed = 0) {
  x ^= seed;
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

constexpr std::uint64_t hash(std::uint32_t key, std::uint64_t seed = 0) { return mix(key, seed); }
constexpr std::uint64_t hash(std::uint64_t key, std::uint64_t seed = 0) { return mix(key, seed); }
constexpr std::uint64_t hash(const bits128& key, std::uint64_t seed = 0) {
  return mix(key.lo + mix(key.hi, seed), seed);
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

}  // namespace pappus::ops
