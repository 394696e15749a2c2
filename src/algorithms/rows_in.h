// Makes row sets that own the buffers in which their rows are.
#pragma once

#include <cstdint>
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

}  // namespace pappus::algorithms
