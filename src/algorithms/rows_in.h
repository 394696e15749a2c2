// Records in buffers: row sets that own the buffers in which their rows are, and copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "pappus/detail/base/chunks.h"
#include "pappus/detail/base/memory.h"

namespace pappus::algorithms {

/// Appends the `rows` rows at the beginning of a buffer, and the buffer.
inline void append_buffer(detail::row_set& to, detail::buffer memory, std::int64_t rows) {
  to.append(memory.data(), rows);
  to.own(std::move(memory));
}

/// A set of the `rows` rows at the beginning of a buffer.
/// \param source  what the buffer is from; the set keeps it alive.
inline std::shared_ptr<detail::row_set> rows_in(detail::buffer memory,
                                                const detail::record_type& layout,
                                                std::int64_t rows,
                                                std::shared_ptr<const void> source) {
  auto set = std::make_shared<detail::row_set>(layout);
  set->keep(std::move(source));
  append_buffer(*set, std::move(memory), rows);
  return set;
}

/// memcpy() of one record, without a call where it has one of the usual sizes.
inline void copy_record(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    case 24:
      std::memcpy(to, from, 24);
      break;
    case 32:
      std::memcpy(to, from, 32);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace pappus::algorithms
