// The loop that materialises a fused stage.
#pragma once

#include <cstring>
#include <new>

#include "pappus/detail/fuse/expression.h"

namespace pappus::detail {

template <typename E>
void write_rows(const void* element, const block_args& args, out_rows& out) {
  using T = value_of<E>;
  const auto bound = static_cast<const E*>(element)->bind(args);
  if constexpr (E::form == shape::aligned) {
    T* __restrict to = reinterpret_cast<T*>(out.cursor);
    for (std::int64_t i = 0; i < args.rows; ++i)
      bound.at(i, [&](const auto& value) { ::new (static_cast<void*>(to + i)) T(value); });
    out.cursor = reinterpret_cast<std::byte*>(to + args.rows);
  } else if constexpr (E::form == shape::masked) {
    T* __restrict to = reinterpret_cast<T*>(out.cursor);
    for (std::int64_t i = 0; i < args.rows; ++i)
      bound.at(i, [&](const auto& value) { ::new (static_cast<void*>(to++)) T(value); });
    out.cursor = reinterpret_cast<std::byte*>(to);
  } else {
    bound.for_each(args.rows, [&](const auto& value) {
      if (static_cast<std::size_t>(out.end - out.cursor) < sizeof(T)) out.grow(out);
      ::new (static_cast<void*>(out.cursor)) T(value);
      out.cursor += sizeof(T);
    });
  }
}

}  // namespace pappus::detail
