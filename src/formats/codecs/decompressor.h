// Compressed files from front to back, in memory that doesn't grow with them: gzip by zlib, as
// libdeflate (codec.h) takes members whole, and zstd. Both may have several members, or frames, one
// behind the other.
//
// Bytes that come before damage are handed out first, whatever the sizes that are asked for: so
// which error a reader meets first depends on the file alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "formats/byte_source.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

enum class compression : std::uint8_t { none, gzip, zstd };

/// Told by the file's first bytes.
compression compression_of(const byte_source& source);
/// "gzip"
std::string_view name_of(compression of) noexcept;
/// A command that makes a plain file of it: "gzip -dk data.npy.gz".
std::string remedy_for(compression of, const std::string& path);
/// Throws format_error where a file is compressed that must not be.
/// \param expected  "an NPY file"
void refuse_compressed(const byte_source& source, std::string_view expected);
/// The same for raw records, which may begin with any bytes: unless their name or, where it doesn't
/// fit, their size says that they are compressed, they aren't.
void refuse_compressed_raw(const byte_source& source, bool size_fits);

/// Not thread-safe.
class decompressor {
 public:
  virtual ~decompressor() = default;

  /// Fills the front of `out` and returns how many bytes that are: fewer only at the end, or before
  /// damage. Throws format_error naming the file and where in it, if nothing is there before that;
  /// memory_error.
  std::size_t read(std::span<std::byte> out);

  /// Whether read() has come to the end.
  bool ended() const noexcept { return ended_; }

  /// The bytes of memory that it takes: of a zstd frame, after the first read() of it.
  std::size_t memory_bytes() const noexcept { return memory_.bytes + buffer_.size(); }

  /// Bytes of the file that it took so far.
  std::int64_t stored_read() const noexcept { return offset_ - std::ssize(stored_); }

 protected:
  /// \param unit  what files are made of: "gzip member"
  decompressor(const byte_source& source, detail::memory_source& memory, const char* unit);

  /// Puts some bytes to the front of `out`, which isn't empty; 0: `stored()` has to be another.
  /// Throws codec_problem saying what is wrong. Sets in_unit_ to false at the end of one.
  virtual std::size_t step(std::span<std::byte> out) = 0;
  /// Whether `stored` may be how a member begins.
  virtual bool begins_unit(std::span<const std::byte> stored) const noexcept = 0;

  std::span<const std::byte> stored_;  ///< bytes of the file that step() is to take
  bool in_unit_ = false;

  /// Memory for the libraries, which can't have exceptions pass through them.
  struct allocator {
    detail::memory_source* source;
    std::string owner;
    std::size_t bytes = 0;
    std::exception_ptr failure = nullptr;

    void* allocate(std::size_t bytes) noexcept;
    static void* allocate(void* self, std::size_t bytes) noexcept {
      return static_cast<allocator*>(self)->allocate(bytes);
    }
    static void release(void* self, void* memory) noexcept;
  };
  allocator memory_;

 private:
  bool refill();
  std::size_t advance(std::span<std::byte> out);
  [[noreturn]] void fail(const std::string& what) const;

  const byte_source& source_;
  const char* const unit_;
  detail::buffer buffer_;
  std::int64_t offset_ = 0;      // of the byte behind stored_
  std::int64_t unit_begin_ = 0;  // of the member that is read
  bool ended_ = false;
  std::exception_ptr failure_;
};

std::unique_ptr<decompressor> make_gunzip(const byte_source& source, detail::memory_source& memory);
std::unique_ptr<decompressor> make_unzstd(const byte_source& source, detail::memory_source& memory);
std::unique_ptr<decompressor> make_decompressor(compression of, const byte_source& source,
                                                detail::memory_source& memory);

}  // namespace pappus::formats
