// What text the values of a type point to: so that rows can move together with it, and so that
// text which no row points to any more can go. And whether they have text in them, which goes with
// the values themselves.
//
// A std::string_view is found in std::array, std::optional and aggregates of any depth, and so is a
// pappus::list. Of other types but numbers (with private members, pointers, references, C arrays,
// unions) nothing is known: what they may point to stays where it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pappus/detail/base/fields.h"
#include "pappus/detail/base/missing.h"

namespace pappus {

/// A promise that values of T hold neither std::string_views nor pointers, for a type whose fields
/// Pappus can't find: one with private members, say.
///
///     template <>
///     inline constexpr bool pappus::holds_no_text<money> = true;
///
/// Then files whose records have strings go through memory with their text; else all of it stays
/// while values of T may point to it.
template <typename T>
inline constexpr bool holds_no_text = false;

}  // namespace pappus

namespace pappus::detail {

/// The text that a value points to.
enum class text_in : std::uint8_t {
  none,
  views,    ///< that of its std::string_views and lists, which are found
  unknown,  ///< it may point to anything
};

template <typename T>
constexpr text_in text_of();

template <typename... Parts>
constexpr text_in text_of_all() {
  text_in all = text_in::none;
  ((all = text_of<Parts>() > all ? text_of<Parts>() : all), ...);
  return all;
}

/// Whether T is a pappus::list, which is laid out as a std::string_view of its items' bytes.
template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_text_view = std::is_same_v<T, std::string_view> || is_list<T>;

template <typename T>
inline constexpr bool is_std_array = false;
template <typename T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <typename T>
constexpr text_in text_of() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || holds_no_text<T> ||
                std::is_empty_v<T>) {
    return text_in::none;
  } else if constexpr (is_text_view<T>) {
    return text_in::views;
  } else if constexpr (is_std_array<T> || may_be_missing<T>) {
    return text_of<typename T::value_type>();
  } else if constexpr (!std::is_class_v<T>) {
    return text_in::unknown;
  } else if constexpr (sizeof(T) < sizeof(void*)) {
    return text_in::none;
  } else if constexpr (!std::is_copy_assignable_v<T>) {
    return text_in::unknown;  // a field may be a reference
  } else if constexpr (constexpr std::size_t count = field_count<T>(); count > 0) {
    return decltype(visit_fields<count>(std::declval<const T&>(), []<typename... F>(const F&...) {
      return std::integral_constant<text_in, text_of_all<F...>()>{};
    }))::value;
  } else {
    return text_in::unknown;
  }
}

/// Whether a value may have characters in it, to which a std::string_view could point. Numbers of a
/// byte are characters where they are in arrays.
template <typename T>
constexpr bool may_have_characters() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
    return std::is_same_v<T, char>;
  else if constexpr (is_text_view<T> || std::is_empty_v<T>)
    return false;
  else if constexpr (is_std_array<T>)
    return may_have_characters<typename T::value_type>() ||
           (sizeof(typename T::value_type) == 1 && !std::is_same_v<T, std::array<bool, sizeof(T)>>);
  else if constexpr (may_be_missing<T>)
    return may_have_characters<present<T>>();
  else if constexpr (!std::is_class_v<T> || !std::is_copy_assignable_v<T>)
    return true;
  else if constexpr (constexpr std::size_t count = field_count<T>(); count > 0)
    return decltype(visit_fields<count>(std::declval<const T&>(), []<typename... F>(const F&...) {
      return std::bool_constant<(may_have_characters<F>() || ...)>{};
    }))::value;
  else
    return true;
}

/// Where a std::string_view, or a list, lies in a record: bytes from its start.
struct text_place {
  std::uint32_t at = 0;
  std::uint32_t presence = 0;  ///< of the byte that says whether it is there; 0: it always is
};

/// The text of a record there; of one that is missing none.
inline std::string_view text_at(const std::byte* record, const text_place& place) noexcept {
  std::string_view text;
  if (place.presence == 0 || record[place.presence] != std::byte{0})
    std::memcpy(&text, record + place.at, sizeof text);
  return text;
}

/// Appends where the std::string_views and lists of a part of a record lie, which are found there.
/// \param at        where the part begins, bytes from the record's start
/// \param presence  as in text_place
template <typename Part>
void add_text_places(std::vector<text_place>& to, std::size_t at, std::size_t presence) {
  if constexpr (text_of<Part>() != text_in::views) {
    // It has none.
  } else if constexpr (is_text_view<Part>) {
    to.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(presence)});
  } else if constexpr (is_std_array<Part>) {
    using element = typename Part::value_type;
    for (std::size_t i = 0; i < std::tuple_size_v<Part>; ++i)
      add_text_places<element>(to, at + i * sizeof(element), presence);
  } else if constexpr (may_be_missing<Part>) {
    add_text_places<present<Part>>(to, at, at + presence_at<present<Part>>());
  } else {
    const Part zero = zero_record<Part>();
    const auto offset = [&](const auto& field) {
      return at +
             static_cast<std::size_t>(reinterpret_cast<const std::byte*>(std::addressof(field)) -
                                      reinterpret_cast<const std::byte*>(std::addressof(zero)));
    };
    visit_fields<field_count<Part>()>(zero, [&]<typename... F>(const F&... fields) {
      (add_text_places<F>(to, offset(fields), presence), ...);
    });
  }
}

}  // namespace pappus::detail
