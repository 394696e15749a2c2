// The bytes of a buffer in a file of Arrow's IPC format, front to back, as they were before they
// were compressed. So a column comes some rows at a time, whatever its batch's length.
#pragma once

#include <arrow/buffer.h>
#include <arrow/util/compression.h>

#include <cstdint>
#include <memory>

#include "formats/arrow/library/arrow_streams.h"
#include "formats/arrow/library/ipc_messages.h"

namespace pappus::formats {

class ipc_bytes {
 public:
  /// Of a compressed buffer so much is read at a time, unless it is short: then all of it.
  static constexpr std::int64_t read_bytes = std::int64_t{64} << 10;

  ipc_bytes(const byte_source& source, arrow::MemoryPool& pool, ipc_buffer from,
            arrow::Compression::type codec);

  /// So many are still to come.
  std::int64_t left() const noexcept { return left_; }
  /// Throws arrow_problem where there are fewer, or they can't be decompressed.
  void read(void* to, std::int64_t n);
  std::shared_ptr<arrow::Buffer> read(std::int64_t n);
  void skip(std::int64_t n);

 private:
  void decompress_all();
  void decompress(std::uint8_t* to, std::int64_t n);
  void read_more();

  const byte_source* source_;
  arrow::MemoryPool* pool_;
  ipc_buffer stored_;  // what wasn't read yet
  std::int64_t all_bytes_ = 0, left_ = 0;
  std::unique_ptr<arrow::util::Codec> codec_;
  std::shared_ptr<arrow::util::Decompressor> decompressor_;  // null: as they are, or all at once
  std::shared_ptr<arrow::Buffer> all_;                       // decompressed
  std::shared_ptr<arrow::Buffer> input_;
  std::int64_t input_used_ = 0, input_end_ = 0;
};

/// How many bytes a compressed buffer had before.
std::int64_t uncompressed_bytes(const byte_source& source, ipc_buffer from);

}  // namespace pappus::formats
