// Bytes of the same significance together: the first bytes of all scalars, then the second ones,
// and so on. Neighbours are more alike then, and compress better. Bytes behind the last whole
// scalar stay where they are.
#include <algorithm>
#include <cstddef>

#include "formats/codecs/codec.h"

namespace pappus::formats {
namespace {

constexpr std::size_t block_bytes = 4096;  // of scalars, which stay in the first-level cache

/// Calls move(byte of the scalars, byte of the file) for all of them, some scalars at a time.
template <std::size_t Bytes, typename Move>
void each_byte(std::size_t scalar_bytes, std::size_t n, Move&& move) {
  const std::size_t size = Bytes != 0 ? Bytes : scalar_bytes;
  const auto block = std::max<std::size_t>(block_bytes / size, 1);
  for (std::size_t first = 0; first < n; first += block) {
    const auto end = std::min(n, first + block);
    if constexpr (Bytes != 0) {  // the compiler knows how far bytes are apart, and makes vectors
      for (std::size_t i = first; i < end; ++i)
        for (std::size_t j = 0; j < Bytes; ++j) move(i * Bytes + j, j * n + i);
    } else {
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t i = first; i < end; ++i) move(i * size + j, j * n + i);
    }
  }
}

/// The same, faster for common sizes.
template <typename Move>
void each_byte_of(std::size_t scalar_bytes, std::size_t n, Move&& move) {
  switch (scalar_bytes) {
    case 2:
      return each_byte<2>(scalar_bytes, n, move);
    case 3:
      return each_byte<3>(scalar_bytes, n, move);
    case 4:
      return each_byte<4>(scalar_bytes, n, move);
    case 8:
      return each_byte<8>(scalar_bytes, n, move);
    default:
      return each_byte<0>(scalar_bytes, n, move);
  }
}

class shuffle final : public codec {
 public:
  explicit shuffle(std::size_t scalar_bytes) : codec("shuffle"), scalar_bytes_(scalar_bytes) {}

  std::size_t bound(std::size_t n) const noexcept override { return n; }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    expect_room(stored.size(), out.size());
    const std::size_t n = stored.size() / scalar_bytes_;
    auto* __restrict to = out.data();
    const auto* __restrict from = stored.data();
    each_byte_of(scalar_bytes_, n,
                 [=](std::size_t plain, std::size_t file) { to[plain] = from[file]; });
    std::ranges::copy(stored.subspan(n * scalar_bytes_), out.begin() + at_end(n));
    return stored.size();
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    expect_room(plain.size(), out.size());
    const std::size_t n = plain.size() / scalar_bytes_;
    auto* __restrict to = out.data();
    const auto* __restrict from = plain.data();
    each_byte_of(scalar_bytes_, n,
                 [=](std::size_t scalars, std::size_t file) { to[file] = from[scalars]; });
    std::ranges::copy(plain.subspan(n * scalar_bytes_), out.begin() + at_end(n));
    return plain.size();
  }

 private:
  void expect_room(std::size_t bytes, std::size_t room) const {
    if (bytes <= room) return;
    fail("expected at most " + std::to_string(room) + " bytes, got " + std::to_string(bytes));
  }
  std::ptrdiff_t at_end(std::size_t scalars) const noexcept {
    return static_cast<std::ptrdiff_t>(scalars * scalar_bytes_);
  }

  std::size_t scalar_bytes_;
};

}  // namespace

codec_pointer make_shuffle(std::size_t scalar_bytes) {
  return std::make_unique<shuffle>(std::max<std::size_t>(scalar_bytes, 1));
}

}  // namespace pappus::formats
