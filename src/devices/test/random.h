// Random numbers that are the same everywhere: SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pappus::devices::test {

class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed) {}
  /// The random numbers for call number `call`, whatever earlier calls drew.
  random(std::uint64_t seed, std::uint64_t call) : state_(random(seed).next() ^ call) {
    state_ = next();
  }

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From 0 to n - 1; n > 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  bool coin() { return below(2) != 0; }
  /// True with this probability.
  bool chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
  }

 private:
  std::uint64_t state_;
};

}  // namespace pappus::devices::test
