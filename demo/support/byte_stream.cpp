// Decompression in a stream: no file is ever whole in memory.
//
// LZ4 frames and XZ streams end with a mark (and check sums over their content), so a truncated
// file is known to be one: it ends before its mark. Both formats allow several frames, one after
// the other.
#include "demo/support/byte_stream.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include <lz4frame.h>
#include <lzma.h>

#include "pappus/error.h"

namespace demo {
namespace {

constexpr std::string_view lz4_magic("\x04\x22\x4d\x18", 4);
constexpr std::string_view xz_magic(
    "\xfd"
    "7zXZ\0",
    6);

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw pappus::format_error(path + ": " + what);
}

[[noreturn]] void fail_at(const std::string& path, std::uint64_t offset, const std::string& what) {
  fail(path, "byte offset " + std::to_string(offset) + ": " + what +
                 "; the file is damaged: fetch it again (apt-get update)");
}

class plain_file final : public byte_stream {
 public:
  explicit plain_file(std::string path) : path_(std::move(path)), file_(open(path_)) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t got = std::fread(out.data(), 1, out.size(), file_.get());
    if (got == 0 && std::ferror(file_.get()))
      fail(path_, std::string("can't be read: ") + std::strerror(errno));
    offset_ += got;
    return got;
  }

  /// The first bytes, as many as there are up to 8; the next read() starts at the front again.
  std::string peek() {
    std::array<char, 8> head;
    const std::size_t got = read(head);
    std::rewind(file_.get());
    offset_ = 0;
    return {head.data(), got};
  }

  const std::string& path() const noexcept { return path_; }
  std::uint64_t offset() const noexcept { return offset_; }

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using handle = std::unique_ptr<std::FILE, closer>;

  static handle open(const std::string& path) {
    handle file(std::fopen(path.c_str(), "rb"));
    if (!file) fail(path, std::string("can't be opened: ") + std::strerror(errno));
    return file;
  }

  std::string path_;
  handle file_;
  std::uint64_t offset_ = 0;
};

/// The compressed bytes, a block at a time.
class input_block {
 public:
  explicit input_block(plain_file file) : file_(std::move(file)) {}

  /// Whether there are unread bytes, after reading the next block if it has to be.
  bool refill() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = file_.read(bytes_);
    }
    return begin_ != end_;
  }
  const char* data() const { return bytes_.data() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  void consume(std::size_t n) { begin_ += n; }
  /// Where in the file the unread bytes begin.
  std::uint64_t offset() const { return file_.offset() - size(); }
  const std::string& path() const { return file_.path(); }

 private:
  plain_file file_;
  std::vector<char> bytes_ = std::vector<char>(std::size_t{1} << 16);
  std::size_t begin_ = 0, end_ = 0;
};

class lz4_file final : public byte_stream {
 public:
  explicit lz4_file(plain_file file) : input_(std::move(file)) {
    LZ4F_dctx* context = nullptr;
    const auto status = LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
    if (LZ4F_isError(status)) fail(input_.path(), LZ4F_getErrorName(status));
    context_.reset(context);
  }

  std::size_t read(std::span<char> out) override {
    while (true) {
      // Decompressed bytes may wait in the context though all input has been taken.
      if (!input_.refill() && !inside_frame_) return 0;
      std::size_t written = out.size(), taken = input_.size();
      const auto status =
          LZ4F_decompress(context_.get(), out.data(), &written, input_.data(), &taken, nullptr);
      if (LZ4F_isError(status))
        fail_at(input_.path(), input_.offset(),
                std::string("expected an LZ4 frame, got corrupt data (") +
                    LZ4F_getErrorName(status) + ")");
      input_.consume(taken);
      inside_frame_ = status != 0;
      if (written > 0) return written;
      if (taken == 0 && inside_frame_)
        fail_at(input_.path(), input_.offset(),
                "expected the rest of an LZ4 frame, got the end of the file (truncated)");
    }
  }

 private:
  struct closer {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
  };
  input_block input_;
  std::unique_ptr<LZ4F_dctx, closer> context_;
  bool inside_frame_ = false;
};

class xz_file final : public byte_stream {
 public:
  explicit xz_file(plain_file file) : input_(std::move(file)) {
    if (lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
      fail(input_.path(), "no memory for the XZ decoder");
  }
  ~xz_file() override { lzma_end(&stream_); }
  xz_file(const xz_file&) = delete;
  xz_file& operator=(const xz_file&) = delete;

  std::size_t read(std::span<char> out) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (!ended_ && stream_.avail_out == out.size()) {
      const bool more = input_.refill();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
      stream_.avail_in = input_.size();
      const lzma_ret status = lzma_code(&stream_, more ? LZMA_RUN : LZMA_FINISH);
      input_.consume(input_.size() - stream_.avail_in);
      ended_ = status == LZMA_STREAM_END;
      if (status == LZMA_BUF_ERROR)
        fail_at(input_.path(), input_.offset(),
                "expected the rest of an XZ stream, got the end of the file (truncated)");
      if (status != LZMA_OK && !ended_)
        fail_at(input_.path(), input_.offset(),
                "expected an XZ stream, got corrupt data (liblzma's code " +
                    std::to_string(static_cast<int>(status)) + ")");
    }
    return out.size() - stream_.avail_out;
  }

 private:
  input_block input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

std::string in_hex(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    std::array<char, 4> hex;
    std::snprintf(hex.data(), hex.size(), "%02x ", byte);
    text += hex.data();
  }
  if (text.empty()) return "an empty file";
  text.pop_back();
  return text;
}

}  // namespace

std::unique_ptr<byte_stream> open_bytes(const std::string& path) {
  plain_file file(path);
  const std::string head = file.peek();
  if (head.starts_with(lz4_magic)) return std::make_unique<lz4_file>(std::move(file));
  if (head.starts_with(xz_magic)) return std::make_unique<xz_file>(std::move(file));
  if (path.ends_with(".lz4"))
    fail_at(path, 0, "expected an LZ4 frame (" + in_hex(lz4_magic) + "), got " + in_hex(head));
  if (path.ends_with(".xz"))
    fail_at(path, 0, "expected an XZ stream (" + in_hex(xz_magic) + "), got " + in_hex(head));
  return std::make_unique<plain_file>(std::move(file));
}

}  // namespace demo
