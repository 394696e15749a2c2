// Codecs one behind the other, as a chunk's bytes pass them when they are encoded: compressed, say,
// and then with a checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/codecs/codec.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

class codec_chain {
 public:
  /// Encodes after those that were added before. Null is no codec.
  void add(codec_pointer next) {
    if (next) codecs_.push_back(std::move(next));
  }

  bool empty() const noexcept { return codecs_.empty(); }
  /// In words: "zstd, crc32c"; "" for none.
  std::string name() const;

  /// The most bytes that n take when they are stored.
  std::size_t bound(std::size_t n) const noexcept;
  /// The most bytes that decode() takes from memory for n plain ones.
  std::size_t scratch_bytes(std::size_t n) const noexcept;

  /// Decodes `stored` to exactly out.size() bytes. Throws codec_problem and what `memory` throws.
  /// \param skipped  bit i: the bytes didn't pass the codec that was added as number i
  void decode(std::span<const std::byte> stored, detail::memory_source& memory,
              std::string_view owner, std::span<std::byte> out, std::uint32_t skipped = 0) const;

  /// The plain bytes among stored ones, where all codecs keep them. Throws codec_problem.
  std::span<const std::byte> plain_part(std::span<const std::byte> stored) const;

  struct encoded {
    detail::buffer memory;  ///< empty where nothing was encoded
    std::span<const std::byte> bytes;
  };
  /// Throws as decode() does. Without codecs these are the plain bytes themselves.
  encoded encode(std::span<const std::byte> plain, detail::memory_source& memory,
                 std::string_view owner) const;

 private:
  std::vector<codec_pointer> codecs_;
};

}  // namespace pappus::formats
