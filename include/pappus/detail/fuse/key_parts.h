// A sort key with categories in it as several keys: its parts, categories by their texts.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/coded_key.h"
#include "pappus/detail/base/packed_key.h"

namespace pappus::detail {

template <typename F, bool Descending>
struct directed_key;

/// In a list of parts: whether what may be missing is. What is comes last in both directions.
struct missing_part {};

/// The types of the parts that visit_key_parts() visits, a std::tuple of pointers to them.
template <typename K>
constexpr auto key_part_list() {
  if constexpr (bits_key<K> || string_key<K> || is_category<K>) {
    return std::tuple<const K*>();
  } else if constexpr (may_be_missing<K>) {
    return std::tuple_cat(std::tuple<const missing_part*>(),
                          key_part_list<typename K::value_type>());
  } else if constexpr (is_std_array<K>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple_cat((void(I), key_part_list<typename K::value_type>())...);
    }(std::make_index_sequence<std::tuple_size_v<K>>());
  } else {
    return []<typename... F>(field_list<F...>) {
      return std::tuple_cat(key_part_list<F>()...);
    }(decltype(fields_of<K, field_count<K>()>())());
  }
}

/// Part number I of a function's key; of a category its text.
template <typename F, std::size_t I, typename Part>
struct key_part_of {
  static constexpr bool of_category = true;
  F function;
  template <typename T>
  auto operator()(const T& record) const {
    const auto key = std::invoke(function, record);
    std::conditional_t<is_category<Part>, std::string_view, Part> found{};
    std::size_t number = 0;
    const auto look = [&]<typename Own>(const Own& own) {
      if constexpr (std::is_same_v<Own, Part>)
        if (number == I) {
          if constexpr (is_category<Part>)
            found = own.text();
          else
            found = own;
        }
      ++number;
    };
    visit_key_parts(key, look);
    return found;
  }
};

template <typename K, bool Descending, typename F>
auto sort_keys_of_parts(const F& function) {
  using parts = decltype(key_part_list<K>());
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto key_of = [&]<std::size_t Number>(std::integral_constant<std::size_t, Number>) {
      using part = std::remove_cv_t<std::remove_pointer_t<std::tuple_element_t<Number, parts>>>;
      if constexpr (std::is_same_v<part, missing_part>)
        return directed_key<key_part_of<F, Number, bool>, false>{{function}};
      else
        return directed_key<key_part_of<F, Number, part>, Descending>{{function}};
    };
    return std::tuple(key_of(std::integral_constant<std::size_t, I>())...);
  }(std::make_index_sequence<std::tuple_size_v<parts>>());
}

}  // namespace pappus::detail
