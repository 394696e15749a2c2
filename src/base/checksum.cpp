#include "base/checksum.h"

#include <array>
#include <cstring>

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace pappus::base {
namespace {

#ifdef __SSE4_2__
std::uint64_t step(std::uint64_t crc, std::uint64_t word) noexcept {
  return _mm_crc32_u64(crc, word);
}
std::uint32_t byte_step(std::uint32_t crc, std::byte byte) noexcept {
  return _mm_crc32_u8(crc, static_cast<unsigned char>(byte));
}
#else
constexpr auto table = [] {
  std::array<std::uint32_t, 256> made{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc % 2 != 0 ? 0x82f63b78U : 0U);
    made[i] = crc;
  }
  return made;
}();
std::uint64_t step(std::uint64_t crc, std::uint64_t word) noexcept {
  auto low = static_cast<std::uint32_t>(crc);
  for (int byte = 0; byte < 8; ++byte, word >>= 8) low = low >> 8 ^ table[(low ^ word) % 256];
  return low;
}
std::uint32_t byte_step(std::uint32_t crc, std::byte byte) noexcept {
  return crc >> 8 ^ table[(crc ^ static_cast<std::uint32_t>(byte)) % 256];
}
#endif

std::uint64_t word_at(const std::byte* bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

std::uint32_t checksum(const std::byte* bytes, std::size_t n, std::uint32_t seed) noexcept {
  constexpr std::size_t parts = 4, word = sizeof(std::uint64_t);
  const std::size_t part = n / (parts * word) * word;  // bytes
  std::array<std::uint64_t, parts> crc;
  crc.fill(~seed);
  for (std::size_t i = 0; i < part; i += word)
    for (std::size_t p = 0; p < parts; ++p) crc[p] = step(crc[p], word_at(bytes + p * part + i));
  std::uint64_t all = crc[0];
  for (std::size_t p = 1; p < parts; ++p) all = step(all, crc[p]);
  for (std::size_t i = parts * part; i < n; i += word) {
    std::uint64_t last = 0;
    std::memcpy(&last, bytes + i, n - i < word ? n - i : word);
    all = step(all, last);
  }
  return ~static_cast<std::uint32_t>(step(all, n));
}

std::uint32_t crc32c(const std::byte* bytes, std::size_t n) noexcept {
  std::uint64_t crc = ~std::uint32_t{0};
  std::size_t i = 0;
  for (; i + sizeof crc <= n; i += sizeof crc) crc = step(crc, word_at(bytes + i));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; i < n; ++i) rest = byte_step(rest, bytes[i]);
  return ~rest;
}

}  // namespace pappus::base
