// Values that may be missing: std::optional, and how its bytes say so.
//
// Untyped code finds out whether a value is there by a byte behind it, where libstdc++, libc++ and
// Microsoft's library have it.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

namespace pappus::detail {

template <typename T>
inline constexpr bool may_be_missing = false;
template <typename T>
inline constexpr bool may_be_missing<std::optional<T>> = true;

template <typename T>
struct present_type {
  using type = T;
};
template <typename T>
struct present_type<std::optional<T>> {
  using type = T;
};
/// T itself, or that of a std::optional.
template <typename T>
using present = typename present_type<T>::type;

/// Bytes from the start of a std::optional<T> to the one that is 1 where it has a value, else 0.
template <typename T>
  requires std::is_trivially_copyable_v<T>
constexpr std::size_t presence_at() {
  static_assert(sizeof(std::optional<T>) == sizeof(T) + alignof(T),
                "std::optional isn't laid out as Pappus expects");
  return sizeof(T);
}

}  // namespace pappus::detail
