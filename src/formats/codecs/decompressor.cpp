#include "formats/codecs/decompressor.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "formats/codecs/codec.h"
#include "pappus/error.h"

namespace pappus::formats {
namespace {

constexpr std::size_t stored_at_once = std::size_t{64} << 10;
constexpr std::size_t magic_bytes = 4;
constexpr std::size_t block_head = 64;  // before a library's memory: its size

bool begins_gzip(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= 3 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B} &&
         bytes[2] == std::byte{8};
}

/// A frame, or one that is to be skipped.
bool begins_zstd(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() < 4) return false;
  std::uint32_t magic = 0;
  std::memcpy(&magic, bytes.data(), 4);
  return magic == 0xFD2FB528 || (magic & 0xFFFFFFF0) == 0x184D2A50;
}

}  // namespace

compression compression_of(const byte_source& source) {
  std::array<std::byte, magic_bytes> first{};
  const auto there = std::span(first).first(
      static_cast<std::size_t>(std::min<std::int64_t>(source.bytes(), magic_bytes)));
  source.read(0, there);
  if (begins_gzip(there)) return compression::gzip;
  return begins_zstd(there) ? compression::zstd : compression::none;
}

std::string_view name_of(compression of) noexcept {
  return of == compression::gzip ? "gzip" : of == compression::zstd ? "zstd" : "nothing";
}

std::string remedy_for(compression of, const std::string& path) {
  return fmt::format("{} -d{} {}", name_of(of), of == compression::gzip ? "k" : "", path);
}

void refuse_compressed(const byte_source& source, std::string_view expected) {
  const auto by = compression_of(source);
  if (by == compression::none) return;
  throw format_error(fmt::format(
      "{}: expected {}, got a file that {} compressed, which only text files may be; decompress it "
      "first: {}",
      source.name(), expected, name_of(by), remedy_for(by, source.name())));
}

void refuse_compressed_raw(const byte_source& source, bool size_fits) {
  const bool named = source.name().ends_with(".gz") || source.name().ends_with(".zst");
  if (named || !size_fits) refuse_compressed(source, "records as they lie in memory");
}

void* decompressor::allocator::allocate(std::size_t bytes) noexcept try {
  std::byte* const block = source->acquire(bytes + block_head, owner);
  std::memcpy(block, &bytes, sizeof(bytes));
  this->bytes += bytes;
  return block + block_head;
} catch (...) {
  failure = std::current_exception();
  return nullptr;
}

void decompressor::allocator::release(void* self, void* memory) noexcept {
  if (memory == nullptr) return;
  std::byte* const block = static_cast<std::byte*>(memory) - block_head;
  std::size_t bytes = 0;
  std::memcpy(&bytes, block, sizeof(bytes));
  auto& from = *static_cast<allocator*>(self);
  from.bytes -= bytes;
  from.source->release(block, bytes + block_head);
}

decompressor::decompressor(const byte_source& source, detail::memory_source& memory,
                           const char* unit)
    : memory_{.source = &memory, .owner = source.name() + ": decompression"},
      source_(source),
      unit_(unit),
      buffer_(memory, stored_at_once, memory_.owner) {}

/// More bytes of the file behind those that are left; false: there are none.
bool decompressor::refill() {
  const auto left = stored_.size();
  if (left > 0) std::memmove(buffer_.data(), stored_.data(), left);
  const auto more =
      std::min(stored_at_once - left, static_cast<std::size_t>(source_.bytes() - offset_));
  if (more > 0) source_.read(offset_, {buffer_.data() + left, more});
  offset_ += static_cast<std::int64_t>(more);
  stored_ = {buffer_.data(), left + more};
  return more > 0;
}

void decompressor::fail(const std::string& what) const {
  throw format_error(fmt::format("{}: {} at byte {}, at byte {}: {}", source_.name(), unit_,
                                 unit_begin_, stored_read(), what));
}

/// Some bytes, or 0 at the end.
std::size_t decompressor::advance(std::span<std::byte> out) {
  for (;;) {
    if (!in_unit_) {
      if (stored_.size() < magic_bytes) refill();
      if (stored_.empty()) return 0;
      if (!begins_unit(stored_))
        throw format_error(fmt::format(
            "{}: at byte {}: expected another {} or the end of the file, got other bytes",
            source_.name(), stored_read(), unit_));
      in_unit_ = true;
      unit_begin_ = stored_read();
    }
    const auto before = stored_.size();
    const auto got = [&] {
      try {
        return step(out);
      } catch (const codec_problem& problem) {
        fail(problem.what());
      }
    }();
    if (got > 0) return got;
    if (in_unit_ && (stored_.empty() || stored_.size() == before) && !refill())
      fail("expected more of it, got the end of the file, which is truncated");
  }
}

std::size_t decompressor::read(std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size() && !ended_ && !failure_) {
    try {
      const auto got = advance(out.subspan(filled));
      filled += got;
      ended_ = got == 0;
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  if (filled == 0 && failure_) std::rethrow_exception(failure_);
  return filled;
}

std::unique_ptr<decompressor> make_decompressor(compression of, const byte_source& source,
                                                detail::memory_source& memory) {
  return of == compression::gzip ? make_gunzip(source, memory) : make_unzstd(source, memory);
}

}  // namespace pappus::formats
