// C++ types as device code sees them.
#pragma once

#include <array>
#include <type_traits>

#include "pappus/detail/base/device.h"
#include "pappus/detail/base/layout.h"
#include "pappus/records.h"

namespace pappus::detail {

template <typename T>
concept device_number = std::is_enum_v<T> || std::is_same_v<T, float> ||
                        std::is_same_v<T, double> || (std::is_integral_v<T> && sizeof(T) <= 8);

template <typename T>
struct device_shape {
  static constexpr device_type make() {
    device_type type{.size = sizeof(T), .align = alignof(T), .cpp_name = type_name<T>()};
    if constexpr (device_number<T>) {
      using enum device_type::kind;
      type.what = std::is_floating_point_v<T> ? floating : integer;
      if constexpr (std::is_enum_v<T>)
        type.is_signed = std::is_signed_v<std::underlying_type_t<T>>;
      else
        type.is_signed = std::is_signed_v<T>;
    }
    return type;
  }
};

template <typename T>
inline constexpr device_type device_type_of = device_shape<T>::make();

/// T as a type with known fields. \param fields  must outlive the result.
template <typename T>
constexpr device_type device_fields(std::span<const device_field> fields) {
  return {.what = device_type::kind::fields,
          .size = sizeof(T),
          .align = alignof(T),
          .cpp_name = type_name<T>(),
          .fields = fields};
}

/// The fields of a struct of two members. (offsetof is defined for standard layout alone.)
template <typename T, typename A, typename B>
struct two_device_fields {
  static constexpr std::size_t second = (sizeof(A) + alignof(B) - 1) / alignof(B) * alignof(B);
  static constexpr device_field fields[2] = {{T::names[0], 0, &device_type_of<A>},
                                             {T::names[1], second, &device_type_of<B>}};
};

template <typename A, typename B>
struct device_shape<pair<A, B>> : two_device_fields<device_shape<pair<A, B>>, A, B> {
  static constexpr std::string_view names[] = {"first", "second"};
  static constexpr device_type make() { return device_fields<pair<A, B>>(device_shape::fields); }
};
template <typename T>
struct device_shape<indexed<T>> : two_device_fields<device_shape<indexed<T>>, std::int64_t, T> {
  static constexpr std::string_view names[] = {"index", "value"};
  static constexpr device_type make() { return device_fields<indexed<T>>(device_shape::fields); }
};
template <typename K, typename V>
struct device_shape<keyed<K, V>> : two_device_fields<device_shape<keyed<K, V>>, K, V> {
  static constexpr std::string_view names[] = {"key", "value"};
  static constexpr device_type make() { return device_fields<keyed<K, V>>(device_shape::fields); }
};

template <typename T, std::size_t N>
  requires(N > 0)
struct device_shape<std::array<T, N>> {
  static constexpr device_type make() {
    using array = std::array<T, N>;
    return {.what = device_type::kind::array,
            .size = sizeof(array),
            .align = alignof(array),
            .cpp_name = type_name<array>(),
            .element = &device_type_of<T>};
  }
};

}  // namespace pappus::detail
