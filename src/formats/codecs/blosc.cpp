// Blosc, by its own library: bytes shuffled and compressed by one of several compressors. The
// stored bytes tell all that decoding needs.
#include <blosc.h>

#include <algorithm>

#include "formats/codecs/codec.h"

namespace pappus::formats {
namespace {

class blosc final : public codec {
 public:
  blosc(const std::string& compressor, int level, std::size_t scalar_bytes)
      : codec("blosc " + compressor),
        compressor_(compressor),
        level_(level),
        scalar_bytes_(std::clamp<std::size_t>(scalar_bytes, 1, BLOSC_MAX_TYPESIZE)) {}

  std::size_t bound(std::size_t n) const noexcept override { return n + BLOSC_MAX_OVERHEAD; }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    std::size_t size = 0;
    if (blosc_cbuffer_validate(stored.data(), stored.size(), &size) != 0) {
      fail("expected the header of a Blosc buffer of " + std::to_string(stored.size()) +
           " bytes, got another one");
    }
    if (size > out.size()) {
      fail("expected at most " + std::to_string(out.size()) + " decoded bytes, got " +
           std::to_string(size));
    }
    const int got = blosc_decompress_ctx(stored.data(), out.data(), out.size(), 1);
    if (got < 0 || static_cast<std::size_t>(got) != size) {
      fail("expected compressed bytes, got others (its result is " + std::to_string(got) + ')');
    }
    return size;
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    if (plain.size() > BLOSC_MAX_BUFFERSIZE) {
      fail("expected at most " + std::to_string(BLOSC_MAX_BUFFERSIZE) + " bytes a chunk, got " +
           std::to_string(plain.size()));
    }
    constexpr std::size_t automatic = 0;
    const int made =
        blosc_compress_ctx(level_, BLOSC_SHUFFLE, scalar_bytes_, plain.size(), plain.data(),
                           out.data(), out.size(), compressor_.c_str(), automatic, 1);
    if (made <= 0) fail("the bytes can't be compressed");
    return static_cast<std::size_t>(made);
  }

 private:
  std::string compressor_;
  int level_;
  std::size_t scalar_bytes_;
};

}  // namespace

codec_pointer make_blosc(const std::string& compressor, int level, std::size_t scalar_bytes) {
  return std::make_unique<blosc>(compressor, level, scalar_bytes);
}

}  // namespace pappus::formats
