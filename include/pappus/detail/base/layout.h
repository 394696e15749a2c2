// What the untyped middle knows of a record type: its size, its alignment, what to call it, and
// where its text is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pappus/detail/base/record_text.h"
#include "pappus/detail/base/type_name.h"

namespace pappus::detail {

/// type_name() with a 0 at the end.
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
  text_in text = text_in::unknown;
  /// Appends where in a record its std::string_views lie; null: there are none, or unknown ones.
  void (*add_text_places)(std::vector<text_place>& to) = nullptr;

  /// Whether a record may point to what a set of rows has to keep alive.
  constexpr bool may_point() const noexcept { return text != text_in::none; }
};

/// Records are moved as bytes, so their copies must be memcpy. Memory is aligned for them up to a
/// page of 4096 bytes.
template <typename T>
concept record = std::is_trivially_copyable_v<T> && std::is_object_v<T> && !std::is_const_v<T> &&
                 !std::is_pointer_v<T> && alignof(T) <= 4096;

template <typename T>
void add_places_of_text(std::vector<text_place>& to) {
  add_text_places<T>(to, 0, 0);
}

template <record T>
constexpr record_type record_type_of() {
  record_type made{sizeof(T), alignof(T), type_name<T>(), text_of<T>()};
  if constexpr (text_of<T>() == text_in::views) made.add_text_places = add_places_of_text<T>;
  return made;
}

}  // namespace pappus::detail
