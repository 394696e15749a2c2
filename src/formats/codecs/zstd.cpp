// Zstandard, by its own library. Decoding takes several frames, one behind the other.
#include <zstd.h>

#include "formats/codecs/codec.h"

namespace pappus::formats {
namespace {

class zstd final : public codec {
 public:
  explicit zstd(int level) : codec("zstd"), level_(level) {}

  std::size_t bound(std::size_t n) const noexcept override { return ZSTD_compressBound(n); }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    return checked(ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size()),
                   out.size());
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    return checked(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), level_),
                   out.size());
  }

 private:
  std::size_t checked(std::size_t result, std::size_t room) const {
    if (ZSTD_isError(result) != 0) {
      fail(std::string(ZSTD_getErrorName(result)) + ", where at most " + std::to_string(room) +
           " bytes were expected");
    }
    return result;
  }

  int level_;
};

}  // namespace

codec_pointer make_zstd(int level) { return std::make_unique<zstd>(level); }

}  // namespace pappus::formats
