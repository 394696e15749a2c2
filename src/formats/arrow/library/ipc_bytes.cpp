#include "formats/arrow/library/ipc_bytes.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace pappus::formats {
namespace {

/// Before a compressed buffer; -1: it is stored as it was.
constexpr std::int64_t length_bytes = 8;

std::int64_t length_before(const byte_source& source, ipc_buffer from) {
  if (from.bytes < length_bytes) throw arrow_problem("a compressed column is too short");
  std::int64_t length = 0;
  source.read(from.offset, std::as_writable_bytes(std::span(&length, 1)));
  if (length < -1) throw arrow_problem("a compressed column has a negative length");
  return length;
}

}  // namespace

std::int64_t uncompressed_bytes(const byte_source& source, ipc_buffer from) {
  if (from.bytes == 0) return 0;
  const auto length = length_before(source, from);
  return length < 0 ? from.bytes - length_bytes : length;
}

ipc_bytes::ipc_bytes(const byte_source& source, arrow::MemoryPool& pool, ipc_buffer from,
                     arrow::Compression::type codec)
    : source_(&source), pool_(&pool), stored_(from), left_(from.bytes) {
  if (codec == arrow::Compression::UNCOMPRESSED || from.bytes == 0) return;
  const auto length = length_before(source, from);
  stored_ = {from.offset + length_bytes, from.bytes - length_bytes};
  all_bytes_ = left_ = length < 0 ? stored_.bytes : length;
  if (length < 0) return;
  codec_ = check(arrow::util::Codec::Create(codec));
  constexpr std::int64_t at_once = std::int64_t{512} << 10;  // a decompressor costs more to make
  if (left_ > at_once || stored_.bytes > 2 * at_once)
    decompressor_ = check(codec_->MakeDecompressor());
}

void ipc_bytes::read(void* to, std::int64_t n) {
  if (n > left_) throw arrow_problem("it has fewer bytes than its rows need");
  left_ -= n;
  if (n == 0) return;
  if (decompressor_) {
    decompress(static_cast<std::uint8_t*>(to), n);
    return;
  }
  if (codec_) {
    if (!all_) decompress_all();
    std::memcpy(to, all_->data() + (all_->size() - left_ - n), static_cast<std::size_t>(n));
    return;
  }
  source_->read(stored_.offset, {static_cast<std::byte*>(to), static_cast<std::size_t>(n)});
  stored_.offset += n;
  stored_.bytes -= n;
}

std::shared_ptr<arrow::Buffer> ipc_bytes::read(std::int64_t n) {
  if (n > left_) throw arrow_problem("it has fewer bytes than its rows need");
  std::shared_ptr<arrow::Buffer> buffer = check(arrow::AllocateBuffer(n, pool_));
  read(buffer->mutable_data(), n);
  return buffer;
}

void ipc_bytes::skip(std::int64_t n) {
  if (n > left_) throw arrow_problem("it has fewer bytes than its rows need");
  if (!decompressor_) {
    left_ -= n;
    if (codec_) return;
    stored_.offset += n;
    stored_.bytes -= n;
    return;
  }
  for (; n > 0; n -= std::min(n, read_bytes)) read(std::min(n, read_bytes));
}

void ipc_bytes::read_more() {
  if (!input_) input_ = check(arrow::AllocateBuffer(read_bytes, pool_));
  input_used_ = 0;
  input_end_ = std::min(read_bytes, stored_.bytes);
  source_->read(stored_.offset, {reinterpret_cast<std::byte*>(input_->mutable_data()),
                                 static_cast<std::size_t>(input_end_)});
  stored_.offset += input_end_;
  stored_.bytes -= input_end_;
}

void ipc_bytes::decompress_all() {
  const auto bytes = all_bytes_;
  const auto input = std::shared_ptr(check(arrow::AllocateBuffer(stored_.bytes, pool_)));
  source_->read(stored_.offset, {reinterpret_cast<std::byte*>(input->mutable_data()),
                                 static_cast<std::size_t>(stored_.bytes)});
  std::shared_ptr<arrow::Buffer> all = check(arrow::AllocateBuffer(bytes, pool_));
  const auto had =
      check(codec_->Decompress(stored_.bytes, input->data(), bytes, all->mutable_data()));
  if (had != bytes) throw arrow_problem("its compressed bytes end too soon");
  all_ = std::move(all);
}

void ipc_bytes::decompress(std::uint8_t* to, std::int64_t n) {
  while (n > 0) {
    if (decompressor_->IsFinished()) throw arrow_problem("its compressed bytes end too soon");
    const bool more = input_used_ == input_end_ && stored_.bytes > 0;
    if (more) read_more();
    if (!input_) throw arrow_problem("its compressed bytes end too soon");
    const auto had = check(
        decompressor_->Decompress(input_end_ - input_used_, input_->data() + input_used_, n, to));
    input_used_ += had.bytes_read;
    to += had.bytes_written;
    n -= had.bytes_written;
    if (had.bytes_written == 0 && had.bytes_read == 0 && !more)
      throw arrow_problem("its compressed bytes end too soon");
  }
}

}  // namespace pappus::formats
