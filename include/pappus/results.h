// Results of several aggregates, or of several functions of a record, together.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/fields.h"

namespace pappus {

/// One result after another; taken apart by `auto [mean, most, n] = ...`, or get<0>(...). Trivially
/// copyable where they are, as std::tuple isn't.
template <typename First, typename... Others>
struct results {
  First first;
  results<Others...> others;

  results() = default;
  constexpr results(const First& one, const Others&... more) : first(one), others(more...) {}
  friend bool operator==(const results&, const results&) = default;
};
template <typename Only>
struct results<Only> {
  Only first;
  friend bool operator==(const results&, const results&) = default;
};

template <std::size_t I, typename... Ts>
constexpr const auto& get(const results<Ts...>& of) {
  if constexpr (I == 0)
    return of.first;
  else
    return get<I - 1>(of.others);
}
template <std::size_t I, typename... Ts>
constexpr auto& get(results<Ts...>& of) {
  if constexpr (I == 0)
    return of.first;
  else
    return get<I - 1>(of.others);
}
template <std::size_t I, typename... Ts>
constexpr auto&& get(results<Ts...>&& of) {
  return std::move(get<I>(of));
}

template <typename... Ts>
inline constexpr std::size_t detail::fields_by_get<results<Ts...>> = sizeof...(Ts);

}  // namespace pappus

template <typename... Ts>
struct std::tuple_size<pappus::results<Ts...>>
    : std::integral_constant<std::size_t, sizeof...(Ts)> {};
template <std::size_t I, typename... Ts>
struct std::tuple_element<I, pappus::results<Ts...>> : std::tuple_element<I, std::tuple<Ts...>> {};
