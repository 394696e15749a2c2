// Bytes of the same significance together: the first bytes of all scalars, then the second ones,
// and so on. Neighbours are more alike then, and compress better. Bytes behind the last whole
// scalar stay where they are.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "formats/codecs/codec.h"
#include "formats/codecs/little_endian.h"

namespace pappus::formats {
namespace {

/// Gathers scalars that fit in a register, which compilers make vectors of.
template <typename Scalar>
void gather(const std::byte* from, std::size_t n, std::byte* to) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t i = 0; i < n; ++i) {
    Scalar scalar = 0;
    for (std::size_t j = 0; j < sizeof scalar; ++j)
      scalar = static_cast<Scalar>(scalar | static_cast<Scalar>(Scalar{bytes[j * n + i]} << 8 * j));
    put_little_endian(scalar, to + i * sizeof scalar);
  }
}

class shuffle final : public codec {
 public:
  explicit shuffle(std::size_t scalar_bytes) : codec("shuffle"), scalar_bytes_(scalar_bytes) {}

  std::size_t bound(std::size_t n) const noexcept override { return n; }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    expect_room(stored.size(), out.size());
    const std::size_t n = stored.size() / scalar_bytes_;
    if (scalar_bytes_ == 2) {
      gather<std::uint16_t>(stored.data(), n, out.data());
    } else if (scalar_bytes_ == 4) {
      gather<std::uint32_t>(stored.data(), n, out.data());
    } else if (scalar_bytes_ == 8) {
      gather<std::uint64_t>(stored.data(), n, out.data());
    } else {
      for (std::size_t j = 0; j < scalar_bytes_; ++j)
        for (std::size_t i = 0; i < n; ++i) out[i * scalar_bytes_ + j] = stored[j * n + i];
    }
    std::ranges::copy(stored.subspan(n * scalar_bytes_), out.begin() + at_end(n));
    return stored.size();
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    expect_room(plain.size(), out.size());
    const std::size_t n = plain.size() / scalar_bytes_;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < scalar_bytes_; ++j) out[j * n + i] = plain[i * scalar_bytes_ + j];
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
