// zstd, front to back. A frame's window, of up to 2 GiB, counts against the budget, so files of any
// window are read that memory allows: that is why the library is given our memory, by the part of
// its interface that it calls experimental.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include <new>

#include "formats/codecs/codec.h"
#include "formats/codecs/decompressor.h"

namespace pappus::formats {
namespace {

struct context_freed {
  void operator()(ZSTD_DCtx* made) const noexcept { ZSTD_freeDCtx(made); }
};

class unzstd final : public decompressor {
 public:
  unzstd(const byte_source& source, detail::memory_source& memory)
      : decompressor(source, memory, "zstd frame"),
        state_(ZSTD_createDCtx_advanced({allocator::allocate, allocator::release, &memory_})) {
    if (!state_) refuse();
    const auto bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, bounds.upperBound);
  }

 protected:
  bool begins_unit(std::span<const std::byte> stored) const noexcept override {
    return stored.size() >= 4 && (ZSTD_isFrame(stored.data(), stored.size()) != 0);
  }

  std::size_t step(std::span<std::byte> out) override {
    if (!problem_.empty()) throw codec_problem(problem_);
    ZSTD_inBuffer from{stored_.data(), stored_.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const auto status = ZSTD_decompressStream(state_.get(), &to, &from);
    stored_ = stored_.subspan(from.pos);
    if (ZSTD_isError(status) != 0) {
      if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) refuse();
      problem_ = "damaged: " + std::string(ZSTD_getErrorName(status));
      if (to.pos == 0) throw codec_problem(problem_);
    } else if (status == 0) {
      in_unit_ = false;
    }
    return to.pos;
  }

 private:
  [[noreturn]] void refuse() {
    if (memory_.failure) std::rethrow_exception(memory_.failure);
    throw std::bad_alloc();
  }

  std::unique_ptr<ZSTD_DCtx, context_freed> state_;
  std::string problem_;
};

}  // namespace

std::unique_ptr<decompressor> make_unzstd(const byte_source& source,
                                          detail::memory_source& memory) {
  return std::make_unique<unzstd>(source, memory);
}

}  // namespace pappus::formats
