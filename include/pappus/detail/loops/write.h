// The loop that materialises a fused stage.
//
// Large results of maps go through a small buffer and past the caches.
// Where a stage keeps some rows only, small records are computed for all rows of a step, beside a
// byte that says whether to keep them, and an untyped vector loop puts the kept ones together: a
// branch for each row would be mispredicted.
#pragma once

#include <algorithm>
#include <cstring>
#include <new>

#include "pappus/detail/base/stream.h"
#include "pappus/detail/fuse/expression.h"

namespace pappus::detail {

template <typename T, typename Bound>
void write_aligned_rows(const Bound& bound, std::int64_t n, out_rows& out) {
  constexpr auto step = (std::max<std::int64_t>)(stream_step_bytes / sizeof(T), 1);
  const auto fill = [&](T* __restrict to, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      bound.at(i,
               [&](const auto& value) { ::new (static_cast<void*>(to + (i - begin))) T(value); });
  };
  if (step < 8 || !out.past_caches) {
    fill(reinterpret_cast<T*>(out.cursor), 0, n);
    out.cursor += static_cast<std::size_t>(n) * sizeof(T);
    return;
  }
  alignas(64) alignas(T) std::byte gathered[stream_step_bytes];
  for (std::int64_t begin = 0; begin < n; begin += step) {
    const std::int64_t end = (std::min)(n, begin + step);
    const auto bytes = static_cast<std::size_t>(end - begin) * sizeof(T);
    if constexpr (step >= 8) fill(reinterpret_cast<T*>(gathered), begin, end);
    copy_past_caches(out.cursor, gathered, bytes);
    out.cursor += bytes;
  }
}

/// Small records: to compute one that isn't kept costs less than a mispredicted branch.
template <typename T>
inline constexpr bool small_record =
    sizeof(T) <= 16 && std::is_trivially_default_constructible_v<T>;

template <typename T>
std::int64_t put_together(const T* values, const std::uint8_t* keep, std::int64_t n, T* to) {
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return compress(reinterpret_cast<const word*>(values), keep, n, reinterpret_cast<word*>(to));
  } else {
    std::int64_t kept = 0;  // <= i: there is room for n
    for (std::int64_t i = 0; i < n; ++i) {
      ::new (static_cast<void*>(to + kept)) T(values[i]);
      kept += keep[i];
    }
    return kept;
  }
}

template <typename T, typename Bound>
void write_kept_rows(const Bound& bound, std::int64_t n, out_rows& out) {
  T* to = reinterpret_cast<T*>(out.cursor);
  if constexpr (small_record<T>) {
    constexpr std::int64_t step = 512;
    T values[step];
    std::uint8_t keep[step];
    for (std::int64_t begin = 0; begin < n; begin += step) {
      const std::int64_t count = (std::min)(step, n - begin);
      for (std::int64_t i = 0; i < count; ++i) {
        T own{};
        std::uint8_t kept = 0;
        bound.at(begin + i, [&](const auto& value) {
          own = value;
          kept = 1;
        });
        values[i] = own;
        keep[i] = kept;
      }
      to += put_together(values, keep, count, to);
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      bound.at(i, [&](const auto& value) { ::new (static_cast<void*>(to++)) T(value); });
  }
  out.cursor = reinterpret_cast<std::byte*>(to);
}

template <typename E>
void write_rows(const void* element, const block_args& args, out_rows& out) {
  using T = value_of<E>;
  const auto bound = static_cast<const E*>(element)->bind(args);
  if constexpr (E::yields == cardinality::one) {
    write_aligned_rows<T>(bound, args.rows, out);
  } else if constexpr (E::yields == cardinality::at_most_one) {
    write_kept_rows<T>(bound, args.rows, out);
  } else {
    each_row<E::yields>(bound, args.rows, [&](const auto& value) {
      if (static_cast<std::size_t>(out.end - out.cursor) < sizeof(T)) out.grow(out);
      ::new (static_cast<void*>(out.cursor)) T(value);
      out.cursor += sizeof(T);
    });
  }
}

}  // namespace pappus::detail
