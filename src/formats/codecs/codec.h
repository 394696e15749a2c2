// How the bytes of a chunk are stored: compressed, or with a checksum behind them.
//
// Each codec is a file of its own, which alone includes the headers of the library that it calls.
// Codecs are pure: any thread may use one, at any time. They take any bytes and say what is wrong
// with them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace pappus::formats {

/// what() tells what is wrong with stored bytes, to be put behind the names of file and chunk.
struct codec_problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class codec {
 public:
  explicit codec(std::string name) : name_(std::move(name)) {}
  virtual ~codec() = default;
  codec(const codec&) = delete;
  codec& operator=(const codec&) = delete;

  /// In words: "zstd", "blosc lz4".
  const std::string& name() const noexcept { return name_; }

  /// The most bytes that encode() makes of n.
  virtual std::size_t bound(std::size_t n) const noexcept = 0;

  /// Decodes all of `stored`, which isn't empty, to the front of `out` and returns how many bytes
  /// these are. Throws codec_problem, also where `out` has no room for them.
  virtual std::size_t decode(std::span<const std::byte> stored, std::span<std::byte> out) const = 0;

  /// The plain bytes, where they lie among the stored ones as they are and need only be checked.
  virtual std::optional<std::span<const std::byte>> plain_part(std::span<const std::byte>) const {
    return std::nullopt;
  }

  /// Encodes `plain` to the front of `out`, which has room for bound() bytes, and returns how many
  /// it wrote. Throws codec_problem for more bytes than the codec takes at a time.
  virtual std::size_t encode(std::span<const std::byte> plain, std::span<std::byte> out) const = 0;

 protected:
  [[noreturn]] void fail(const std::string& what) const {
    throw codec_problem(name_ + ": " + what);
  }

 private:
  std::string name_;
};

using codec_pointer = std::unique_ptr<const codec>;

// Levels matter to encode() alone.
codec_pointer make_zlib(int level);
codec_pointer make_gzip(int level);
codec_pointer make_zstd(int level);
/// Blocks of LZ4, with the number of plain bytes before them in 32 bits.
codec_pointer make_lz4();
/// \param compressor   "lz4", "lz4hc", "blosclz", "zlib", "zstd" or "snappy"
/// \param scalar_bytes of what is shuffled: bytes of the same significance lie together then
codec_pointer make_blosc(const std::string& compressor, int level, std::size_t scalar_bytes);
/// The CRC32C of the bytes behind them, in 32 bits.
codec_pointer make_crc32c();

// As HDF5 has them.

/// The first bytes of all scalars, then the second ones, and so on.
codec_pointer make_shuffle(std::size_t scalar_bytes);
/// Fletcher's checksum of the bytes behind them, in 32 bits.
codec_pointer make_fletcher32();
/// Blocks of LZ4, with the number of plain bytes before them, and that of each block's.
codec_pointer make_lz4_blocks();

}  // namespace pappus::formats
