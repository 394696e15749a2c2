// From the stored bytes of a chunk to its elements.
//
// The bytes pass the codecs backwards, dimensions come into their order, and items become elements;
// each of these is left out where there is nothing to do. The last step writes to the caller's
// memory, those before to scratch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "formats/codecs/codec_chain.h"
#include "formats/transfer.h"
#include "pappus/detail/base/memory.h"

namespace pappus::formats {

/// How the chunks of an array are stored.
struct chunk_form {
  codec_chain codecs;
  std::vector<std::int64_t> chunk;  ///< numbers of items along the file's dimensions
  std::size_t item_bytes = 0;
  /// Stored dimension i is the array's order[i]; empty: all in their places.
  std::vector<std::size_t> order;
  record_map map;  ///< from items to elements
};

/// May be used by any threads.
class chunk_decoder {
 public:
  /// Fills a span with the stored bytes of a chunk, and returns which codecs it skipped: bit i if
  /// its bytes didn't pass codec i.
  using reader = std::function<std::uint32_t(std::span<std::byte>)>;

  explicit chunk_decoder(chunk_form form);

  const codec_chain& codecs() const noexcept { return form_.codecs; }

  /// Reads a chunk of `bytes` stored bytes and decodes it. Throws codec_problem, and what `read`
  /// and memory_source throw.
  void load(std::int64_t bytes, const reader& read, detail::memory_source& scratch,
            std::byte* out) const;
  /// The most that one load takes of `scratch`.
  std::size_t scratch_bytes() const noexcept;

 private:
  void load_plain(std::size_t bytes, const reader& read, detail::memory_source& scratch,
                  std::byte* plain) const;

  chunk_form form_;
  std::int64_t elements_ = 0;    // of a chunk
  std::size_t plain_bytes_ = 0;  // of a chunk, decoded
};

/// The element that items of one value make: what stands where chunks are missing.
std::vector<std::byte> element_of(std::span<const std::byte> item, const record_map& map);

/// Throws format_error unless chunks have elements, which take up the dimensions from `rank` on,
/// whole.
void expect_whole_elements(const std::string& file, const std::vector<std::int64_t>& shape,
                           const std::vector<std::int64_t>& chunk, std::size_t rank);

}  // namespace pappus::formats
