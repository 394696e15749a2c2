// Blocks of LZ4, by its own library, in the form in which HDF5 has them (its filter 32004):
//
//     plain bytes in all (64 bits), plain bytes of a block (32), and for each block
//     the bytes that it takes (32) and these: where LZ4 would take more, the plain ones
//
// Numbers have the highest byte first.
#include <lz4.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "formats/codecs/codec.h"
#include "formats/codecs/little_endian.h"

namespace pappus::formats {
namespace {

constexpr std::size_t head_bytes = 12, block_head_bytes = 4;
constexpr std::size_t block_bytes_usual = std::size_t{1} << 30;  // the filter's own choice

std::uint32_t big_endian_32(const std::byte* from) {
  return __builtin_bswap32(little_endian_32(from));
}

class lz4_blocks final : public codec {
 public:
  lz4_blocks() : codec("lz4") {}

  std::size_t bound(std::size_t n) const noexcept override {
    return head_bytes + n + block_head_bytes * (n / block_bytes_usual + 1);
  }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    if (stored.size() < head_bytes)
      fail("expected 12 bytes before the blocks, got " + std::to_string(stored.size()));
    const std::uint64_t all = __builtin_bswap64(little_endian_64(stored.data()));
    const std::uint32_t of_block = big_endian_32(stored.data() + 8);
    if (all > out.size())
      fail("expected at most " + std::to_string(out.size()) + " decoded bytes, got " +
           std::to_string(all));
    if (of_block == 0 && all > 0) fail("expected blocks of at least 1 byte, got 0");
    stored = stored.subspan(head_bytes);
    for (out = out.first(all); !out.empty();) {
      const std::size_t plain = std::min<std::size_t>(of_block, out.size());
      stored = decode_block(stored, out.first(plain));
      out = out.subspan(plain);
    }
    if (!stored.empty())
      fail("expected nothing behind the blocks, got " + std::to_string(stored.size()) + " bytes");
    return all;
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    put_little_endian(__builtin_bswap64(plain.size()), out.data());
    put_little_endian(__builtin_bswap32(static_cast<std::uint32_t>(block_bytes_usual)),
                      out.data() + 8);
    std::size_t made = head_bytes;
    while (!plain.empty()) {
      const auto block = plain.first(std::min(block_bytes_usual, plain.size()));
      std::byte* const to = out.data() + made + block_head_bytes;
      // Blocks that don't become smaller are kept as they are.
      const int got = LZ4_compress_default(
          reinterpret_cast<const char*>(block.data()), reinterpret_cast<char*>(to),
          static_cast<int>(block.size()), static_cast<int>(block.size() - 1));
      if (got <= 0) std::ranges::copy(block, to);
      const auto taken = got <= 0 ? block.size() : static_cast<std::size_t>(got);
      put_little_endian(__builtin_bswap32(static_cast<std::uint32_t>(taken)), out.data() + made);
      made += block_head_bytes + taken;
      plain = plain.subspan(block.size());
    }
    return made;
  }

 private:
  /// Returns what is behind the block.
  std::span<const std::byte> decode_block(std::span<const std::byte> stored,
                                          std::span<std::byte> out) const {
    const std::size_t taken = stored.size() < block_head_bytes ? 0 : big_endian_32(stored.data());
    if (stored.size() < block_head_bytes || taken > stored.size() - block_head_bytes)
      fail("expected a block of " + std::to_string(taken) + " bytes, got " +
           std::to_string(stored.size()));
    const auto block = stored.subspan(block_head_bytes, taken);
    stored = stored.subspan(block_head_bytes + taken);
    if (taken == out.size()) {
      std::ranges::copy(block, out.begin());
      return stored;
    }
    constexpr std::size_t most = std::numeric_limits<int>::max();
    const int got =
        taken > most || out.size() > most
            ? -1
            : LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()),
                                  reinterpret_cast<char*>(out.data()), static_cast<int>(taken),
                                  static_cast<int>(out.size()));
    if (got < 0 || static_cast<std::size_t>(got) != out.size())
      fail("expected a block of LZ4 of " + std::to_string(out.size()) +
           " decoded bytes, got other bytes");
    return stored;
  }
};

}  // namespace

codec_pointer make_lz4_blocks() { return std::make_unique<lz4_blocks>(); }

}  // namespace pappus::formats
