// zlib and gzip, by libdeflate.
#include <libdeflate.h>

#include "formats/codecs/codec.h"

namespace pappus::formats {
namespace {

struct freed {
  void operator()(libdeflate_decompressor* made) const noexcept {
    libdeflate_free_decompressor(made);
  }
  void operator()(libdeflate_compressor* made) const noexcept { libdeflate_free_compressor(made); }
};

class deflate : public codec {
 public:
  deflate(std::string name, int level) : codec(std::move(name)), level_(level) {}

 protected:
  std::unique_ptr<libdeflate_compressor, freed> compressor() const {
    std::unique_ptr<libdeflate_compressor, freed> made(libdeflate_alloc_compressor(level_));
    if (!made) fail("there is no memory for a compressor");
    return made;
  }
  std::unique_ptr<libdeflate_decompressor, freed> decompressor() const {
    std::unique_ptr<libdeflate_decompressor, freed> made(libdeflate_alloc_decompressor());
    if (!made) fail("there is no memory for a decompressor");
    return made;
  }

  void expect_success(libdeflate_result result, std::size_t room) const {
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      fail("expected at most " + std::to_string(room) + " decoded bytes, got more");
    }
    if (result != LIBDEFLATE_SUCCESS) {
      fail("expected compressed bytes, got others, or some that don't agree with their checksum");
    }
  }

  void expect_nothing_more(std::size_t bytes) const {
    if (bytes == 0) return;
    fail("expected nothing behind the compressed bytes, got " + std::to_string(bytes) + " more");
  }

 private:
  int level_;
};

class zlib final : public deflate {
 public:
  explicit zlib(int level) : deflate("zlib", level) {}

  std::size_t bound(std::size_t n) const noexcept override {
    return libdeflate_zlib_compress_bound(nullptr, n);
  }

  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    std::size_t used = 0, got = 0;
    expect_success(libdeflate_zlib_decompress_ex(decompressor().get(), stored.data(), stored.size(),
                                                 out.data(), out.size(), &used, &got),
                   out.size());
    expect_nothing_more(stored.size() - used);
    return got;
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    return libdeflate_zlib_compress(compressor().get(), plain.data(), plain.size(), out.data(),
                                    out.size());
  }
};

class gzip final : public deflate {
 public:
  explicit gzip(int level) : deflate("gzip", level) {}

  std::size_t bound(std::size_t n) const noexcept override {
    return libdeflate_gzip_compress_bound(nullptr, n);
  }

  /// A gzip file may have several members, which follow one another.
  std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const override {
    const auto by = decompressor();
    std::size_t filled = 0;
    for (bool first = true; !stored.empty(); first = false) {
      if (!first && stored[0] != std::byte{0x1f}) expect_nothing_more(stored.size());
      std::size_t used = 0, got = 0;
      expect_success(
          libdeflate_gzip_decompress_ex(by.get(), stored.data(), stored.size(), out.data() + filled,
                                        out.size() - filled, &used, &got),
          out.size());
      stored = stored.subspan(used);
      filled += got;
    }
    return filled;
  }

  std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const override {
    return libdeflate_gzip_compress(compressor().get(), plain.data(), plain.size(), out.data(),
                                    out.size());
  }
};

}  // namespace

codec_pointer make_zlib(int level) { return std::make_unique<zlib>(level); }
codec_pointer make_gzip(int level) { return std::make_unique<gzip>(level); }

}  // namespace pappus::formats
