// The text of a file, front to back, as readers of text take it: at any place of a plain file, so
// that several threads read; as it is decompressed from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "formats/byte_source.h"
#include "formats/codecs/decompressor.h"
#include "formats/format.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// next(), ended() and rewind() by one thread.
class text_stream {
 public:
  virtual ~text_stream() = default;

  /// For messages.
  virtual const std::string& name() const noexcept = 0;

  /// The most bytes that are still to come; SIZE_MAX where nobody knows.
  virtual std::size_t left() const noexcept = 0;

  /// Moves on by up to `room` bytes, which go to `to`: at once, or when fill() is called for all of
  /// them. Returns how many: fewer than `room` only at the end, or before an error, which the next
  /// call throws. Throws format_error, memory_error.
  virtual std::size_t next(std::byte* to, std::size_t room) = 0;
  /// Sees to it that the bytes [begin, end) that the last next() moved on by are there. From any
  /// threads.
  virtual void fill(std::size_t begin, std::size_t end) const = 0;

  /// Whether nothing is left.
  virtual bool ended() = 0;

  virtual void rewind() noexcept = 0;

  /// The file's bytes that were read so far. From any thread.
  virtual std::int64_t bytes_read() const noexcept = 0;
  /// The most that it takes of memory.
  virtual std::size_t scratch_bytes() const noexcept = 0;
};

/// Bytes [begin, end) of a file as they are.
std::unique_ptr<text_stream> plain_text(const byte_source& source, std::int64_t begin,
                                        std::int64_t end);

/// What is known of a compressed file's text when its first bytes are.
struct compressed_begin {
  compression by;
  std::string text;              ///< those bytes
  text_length length;            ///< of all of it
  std::size_t memory_bytes = 0;  ///< that decompression takes
};
/// Decompresses some of it, until `enough` says so of what is there, or all.
compressed_begin begin_compressed(const byte_source& source, compression by,
                                  detail::memory_source& memory,
                                  const std::function<bool(std::string_view)>& enough);

/// What a compressed file holds, from its byte `begin` on.
std::unique_ptr<text_stream> compressed_text(const byte_source& source,
                                             const compressed_begin& known,
                                             detail::memory_source& memory, std::int64_t begin);

}  // namespace pappus::formats
