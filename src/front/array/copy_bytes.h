// Copies many bytes by all workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "pappus/detail/base/integers.h"
#include "pappus/detail/base/parallel.h"

namespace pappus::detail {

/// Throws cancelled.
inline void copy_bytes(workers& team, std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t item_bytes = std::size_t{1} << 20;
  parallel_chunks(team, ceil_div(bytes, item_bytes), [&](std::size_t i, unsigned) {
    const auto begin = i * item_bytes;
    std::memcpy(to + begin, from + begin, std::min(item_bytes, bytes - begin));
  });
}

}  // namespace pappus::detail
