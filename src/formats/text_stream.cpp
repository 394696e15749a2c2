#include "formats/text_stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "formats/read_ahead.h"

namespace pappus::formats {
namespace {

class plain_stream final : public text_stream {
 public:
  plain_stream(const byte_source& source, std::int64_t begin, std::int64_t end)
      : source_(source), begin_(begin), end_(end), at_(begin) {}

  const std::string& name() const noexcept override { return source_.name(); }
  std::size_t left() const noexcept override { return static_cast<std::size_t>(end_ - at_); }

  std::size_t next(std::byte* to, std::size_t room) override {
    const auto bytes = std::min(room, left());
    to_ = to;
    from_ = at_;
    at_ += static_cast<std::int64_t>(bytes);
    return bytes;
  }
  void fill(std::size_t begin, std::size_t end) const override {
    source_.read(from_ + static_cast<std::int64_t>(begin), std::span(to_ + begin, end - begin));
  }

  bool ended() override { return at_ == end_; }
  void rewind() noexcept override { at_ = begin_; }
  std::int64_t bytes_read() const noexcept override { return source_.bytes_read(); }
  std::size_t scratch_bytes() const noexcept override { return 0; }

 private:
  const byte_source& source_;
  const std::int64_t begin_, end_;
  std::int64_t at_;
  std::byte* to_ = nullptr;  // of the last next()
  std::int64_t from_ = 0;
};

class compressed_stream final : public text_stream {
 public:
  compressed_stream(const byte_source& source, const compressed_begin& known,
                    detail::memory_source& memory, std::int64_t begin)
      : source_(source),
        by_(known.by),
        memory_bytes_(known.memory_bytes),
        memory_(memory),
        begin_(begin) {}

  const std::string& name() const noexcept override { return source_.name(); }
  std::size_t left() const noexcept override { return SIZE_MAX; }

  std::size_t next(std::byte* to, std::size_t room) override {
    const auto got = from().read({to, room});
    taken_.store(from_->stored_read(), std::memory_order_relaxed);
    return got;
  }
  void fill(std::size_t, std::size_t) const override {}

  bool ended() override { return from().ended(); }
  void rewind() noexcept override { from_.reset(); }
  std::int64_t bytes_read() const noexcept override {
    return taken_.load(std::memory_order_relaxed);
  }
  std::size_t scratch_bytes() const noexcept override {
    return memory_bytes_ + read_ahead::bytes_max();
  }

 private:
  /// What is decompressed, from begin_ on.
  read_ahead& from() {
    if (from_) return *from_;
    auto made = std::make_unique<read_ahead>(by_, source_, memory_);
    std::array<std::byte, 4096> passed;
    for (auto left = begin_; left > 0;) {
      const auto part = std::min<std::int64_t>(left, passed.size());
      const auto got = made->read(std::span(passed).first(static_cast<std::size_t>(part)));
      if (got == 0) break;
      left -= static_cast<std::int64_t>(got);
    }
    from_ = std::move(made);
    return *from_;
  }

  const byte_source& source_;
  const compression by_;
  const std::size_t memory_bytes_;
  detail::memory_source& memory_;
  const std::int64_t begin_;
  std::unique_ptr<read_ahead> from_;
  std::atomic<std::int64_t> taken_{0};
};

}  // namespace

std::unique_ptr<text_stream> plain_text(const byte_source& source, std::int64_t begin,
                                        std::int64_t end) {
  return std::make_unique<plain_stream>(source, begin, end);
}

compressed_begin begin_compressed(const byte_source& source, compression by,
                                  detail::memory_source& memory,
                                  const std::function<bool(std::string_view)>& enough) {
  constexpr std::size_t at_once = std::size_t{64} << 10;
  const auto from = make_decompressor(by, source, memory);
  compressed_begin known{.by = by, .text = {}, .length = {0, false}, .memory_bytes = 0};
  do {
    const auto before = known.text.size();
    known.text.resize(before + at_once);
    known.text.resize(before +
                      from->read(std::as_writable_bytes(std::span(known.text).subspan(before))));
    known.memory_bytes = std::max(known.memory_bytes, from->memory_bytes());
  } while (!from->ended() && !enough(known.text));
  const auto bytes = static_cast<double>(known.text.size());
  const auto stored = static_cast<double>(std::max<std::int64_t>(from->stored_read(), 1));
  // The rest is taken to be like the beginning.
  known.length.bytes = from->ended() ? bytes : bytes * static_cast<double>(source.bytes()) / stored;
  return known;
}

std::unique_ptr<text_stream> compressed_text(const byte_source& source,
                                             const compressed_begin& known,
                                             detail::memory_source& memory, std::int64_t begin) {
  return std::make_unique<compressed_stream>(source, known, memory, begin);
}

}  // namespace pappus::formats
