// What the untyped middle knows of a record type: its size, its alignment and what to call it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace pappus::detail {

/// The spelling of T, taken from the compiler's own name of this function.
template <typename T>
constexpr std::string_view type_name() {
#if defined(__clang__)
  constexpr std::string_view text = __PRETTY_FUNCTION__, open = "[T = ", close = "]";
#else
  constexpr std::string_view text = __PRETTY_FUNCTION__, open = "[with T = ", close = ";";
#endif
  const auto begin = text.find(open) + open.size();
  return text.substr(begin, text.find(close, begin) - begin);
}

/// The same with a 0 at the end.
template <typename T>
struct type_spelling {
  static constexpr auto text = [] {
    std::array<char, type_name<T>().size() + 1> copy{};
    type_name<T>().copy(copy.data(), copy.size() - 1);
    return copy;
  }();
};

struct record_type {
  std::size_t size = 0;   ///< bytes from one record to the next
  std::size_t align = 1;  ///< bytes
  std::string_view name;  ///< the C++ type, for explain and messages
};

/// Records are moved as bytes, so their copies must be memcpy. Memory is aligned for them up to a
/// page of 4096 bytes.
template <typename T>
concept record = std::is_trivially_copyable_v<T> && std::is_object_v<T> && !std::is_const_v<T> &&
                 !std::is_pointer_v<T> && alignof(T) <= 4096;

template <record T>
constexpr record_type record_type_of() {
  return {sizeof(T), alignof(T), type_name<T>()};
}

}  // namespace pappus::detail
