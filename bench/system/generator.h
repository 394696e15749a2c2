// The input generator of the benchmarks, bit for bit, so that any two implementations can be
// compared.
//
// Element i of stream s is a pure function of (seed, s, i): a counter-based generator (the
// finaliser of SplitMix64, Steele, Lea and Flood 2014), so inputs are filled in parallel, in any
// order, and a single element can be recomputed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::bench {

inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

/// A bijection on 64 bits whose output bits each depend on all input bits.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// One stream of random numbers; stream numbers and element numbers count from 0.
class stream {
 public:
  constexpr stream(std::uint64_t seed, std::uint64_t number)
      : key_(mix64(seed + (number + 1) * 0xD1342543DE82EF95u)) {}

  /// 64 random bits.
  constexpr std::uint64_t bits(std::uint64_t i) const { return mix64(key_ + (i + 1) * golden); }

  /// An integer in [0, n).
  constexpr std::uint64_t below(std::uint64_t i, std::uint64_t n) const {
    return static_cast<std::uint64_t>(static_cast<wide>(bits(i)) * n >> 64);
  }

  /// A float in [a, b]; the product is exact in double, so contraction to FMA makes no difference.
  constexpr float f32(std::uint64_t i, double a, double b) const {
    return static_cast<float>(a + (b - a) * (static_cast<double>(bits(i) >> 40) * 0x1p-24));
  }

  /// A double in [a, b), with 32 random bits.
  constexpr double f64(std::uint64_t i, double a, double b) const {
    return a + (b - a) * (static_cast<double>(bits(i) >> 32) * 0x1p-32);
  }

 private:
  __extension__ using wide = unsigned __int128;
  std::uint64_t key_;
};

/// One element's share of the position hash of a sequence; the hash is the sum over all positions.
constexpr std::uint64_t position_hash(std::uint64_t value, std::uint64_t position) {
  return mix64(value + (position + 1) * golden);
}

}  // namespace pappus::bench
