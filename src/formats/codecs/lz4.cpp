// Blocks of LZ4, by its own library, in the form in which Zarr has them: the number of plain bytes
// before the block, in 32 bits, the lowest first.
#include <lz4.h>

#include <algorithm>
#include <limits>

#include "formats/codecs/codec.h"
#include "formats/codecs/little_endian.h"

namespace pappus::formats {
namespace {

constexpr std::size_t size_bytes = 4;

class lz4 final : public codec {
 public:
  lz4() : codec("lz4") {}

  std::size_t bound(std::size_t n) const noexcept override {
    return size_bytes + n + n / 255 + 16;  // as LZ4_compressBound, which has a limit
  }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    if (stored.size() < size_bytes || stored.size() > std::numeric_limits<int>::max()) {
      fail("expected 4 bytes to 2 GiB, got " + std::to_string(stored.size()) + " bytes");
    }
    const std::uint32_t size = little_endian_32(stored.data());
    if (size > out.size() || size > std::numeric_limits<int>::max()) {
      fail("expected at most " + std::to_string(out.size()) + " decoded bytes, got " +
           std::to_string(size));
    }
    const std::span<const std::byte> block = stored.subspan(size_bytes);
    const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()),
                                        reinterpret_cast<char*>(out.data()),
                                        static_cast<int>(block.size()), static_cast<int>(size));
    if (got < 0) fail("expected a block of LZ4, got other bytes");
    if (static_cast<std::uint32_t>(got) != size) {
      fail("expected " + std::to_string(size) + " decoded bytes, got " + std::to_string(got));
    }
    return size;
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    if (plain.size() > LZ4_MAX_INPUT_SIZE) {
      fail("expected at most " + std::to_string(LZ4_MAX_INPUT_SIZE) + " bytes a chunk, got " +
           std::to_string(plain.size()));
    }
    put_little_endian(static_cast<std::uint32_t>(plain.size()), out.data());
    const std::size_t room =
        std::min<std::size_t>(out.size() - size_bytes, std::numeric_limits<int>::max());
    const int made = LZ4_compress_default(reinterpret_cast<const char*>(plain.data()),
                                          reinterpret_cast<char*>(out.data()) + size_bytes,
                                          static_cast<int>(plain.size()), static_cast<int>(room));
    if (made <= 0) fail("the block can't be compressed");
    return size_bytes + static_cast<std::size_t>(made);
  }
};

}  // namespace

codec_pointer make_lz4() { return std::make_unique<lz4>(); }

}  // namespace pappus::formats
