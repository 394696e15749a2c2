// Copies of the text that single records point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_scale.h"
#include "base/text_arena.h"
#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/layout.h"
#include "pappus/detail/base/memory.h"

namespace pappus::algorithms {

class text_copies {
 public:
  /// Of records whose text is found; of others nothing is copied.
  text_copies(const detail::record_type& layout, detail::memory_source& memory,
              std::string_view owner)
      : memory_(memory), owner_(owner) {
    if (layout.add_text_places != nullptr) layout.add_text_places(views_);
  }

  /// Bytes of the text that a record points to.
  std::size_t bytes_of(const std::byte* record) const noexcept {
    std::size_t bytes = 0;
    for (const auto& view : views_) bytes += detail::text_at(record, view).size();
    return bytes;
  }
  /// The same of all records of a set.
  std::size_t bytes_of(const detail::row_set& rows) const noexcept {
    std::size_t bytes = 0;
    if (views_.empty()) return bytes;
    for (const auto& chunk : rows.chunks())
      for (std::int64_t i = 0; i < chunk.rows; ++i)
        bytes += bytes_of(chunk.data + static_cast<std::size_t>(i) * rows.layout().size);
    return bytes;
  }
  /// Has the record point to copies. Throws memory_error.
  void copy(std::byte* record) {
    for (const auto& view : views_) {
      const auto own = texts_.copy(detail::text_at(record, view), memory_, owner_);
      std::memcpy(record + view.at, &own, sizeof own);
    }
  }
  /// What the copies lie in.
  std::vector<detail::buffer> take() { return texts_.take(); }

 private:
  detail::memory_source& memory_;
  std::string owner_;
  std::vector<detail::text_place> views_;
  base::text_arena texts_{base::scaled(std::size_t{4} << 10), base::scaled(std::size_t{1} << 20)};
};

}  // namespace pappus::algorithms
