// gzip, front to back, by zlib.
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <new>

#include "formats/codecs/codec.h"
#include "formats/codecs/decompressor.h"

namespace pappus::formats {
namespace {

class gunzip final : public decompressor {
 public:
  gunzip(const byte_source& source, detail::memory_source& memory)
      : decompressor(source, memory, "gzip member") {
    constexpr int with_gzip_head = 15 + 16;
    state_.zalloc = [](void* self, unsigned items, unsigned bytes) {
      return allocator::allocate(self, std::size_t{items} * bytes);
    };
    state_.zfree = allocator::release;
    state_.opaque = &memory_;
    if (::inflateInit2(&state_, with_gzip_head) != Z_OK) refuse();
  }
  gunzip(const gunzip&) = delete;
  gunzip& operator=(const gunzip&) = delete;
  ~gunzip() override { ::inflateEnd(&state_); }

 protected:
  bool begins_unit(std::span<const std::byte> stored) const noexcept override {
    return stored.size() >= 2 && stored[0] == std::byte{0x1F} && stored[1] == std::byte{0x8B};
  }

  std::size_t step(std::span<std::byte> out) override {
    const auto room = static_cast<unsigned>(std::min<std::size_t>(out.size(), 1U << 30));
    state_.next_in = reinterpret_cast<const Bytef*>(stored_.data());
    state_.avail_in = static_cast<unsigned>(stored_.size());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = room;
    const int status = ::inflate(&state_, Z_NO_FLUSH);
    stored_ = stored_.last(state_.avail_in);
    const std::size_t got = room - state_.avail_out;
    if (status == Z_STREAM_END) {
      in_unit_ = false;
      ::inflateReset(&state_);
    } else if (status == Z_MEM_ERROR) {
      refuse();
    } else if (status != Z_OK && status != Z_BUF_ERROR && got == 0) {
      throw codec_problem("damaged: " + std::string(state_.msg != nullptr ? state_.msg : "?"));
    }
    return got;  // damage is told again by the next call
  }

 private:
  [[noreturn]] void refuse() {
    if (memory_.failure) std::rethrow_exception(memory_.failure);
    throw std::bad_alloc();
  }

  z_stream state_{};
};

}  // namespace

std::unique_ptr<decompressor> make_gunzip(const byte_source& source,
                                          detail::memory_source& memory) {
  return std::make_unique<gunzip>(source, memory);
}

}  // namespace pappus::formats
