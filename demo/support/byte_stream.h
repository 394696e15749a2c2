// The bytes of a file that may be compressed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace demo {

/// Bytes from first to last. One thread at a time.
class byte_stream {
 public:
  virtual ~byte_stream() = default;
  /// Fills `out` from the front and returns how many bytes it wrote; 0 only at the end.
  /// Throws pappus::format_error naming file and byte offset where the content is truncated or
  /// corrupt, or can't be read.
  virtual std::size_t read(std::span<char> out) = 0;
};

/// Opens a plain, .lz4 or .xz file; the first bytes decide which it is. A file whose name promises
/// compression must be compressed. Throws pappus::format_error if it can't be opened.
std::unique_ptr<byte_stream> open_bytes(const std::string& path);

}  // namespace demo
