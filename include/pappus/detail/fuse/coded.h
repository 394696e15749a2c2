// A C++ function with its device code, and the values with which both are called.
//
// Loops copy the C++ function and the values and never see the device code: they run as fast as
// with the plain function.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/device.h"
#include "pappus/detail/base/layout.h"
#include "pappus/detail/fuse/device_type.h"

namespace pappus::detail {

/// Values of several types; unlike std::tuple it is trivially copyable if they are.
template <typename...>
struct value_list {};
template <typename V, typename... Rest>
struct value_list<V, Rest...> {
  V value;
  [[no_unique_address]] value_list<Rest...> rest;
};

inline value_list<> list_of() { return {}; }
template <typename V, typename... Rest>
value_list<V, Rest...> list_of(const V& value, const Rest&... rest) {
  return {value, list_of(rest...)};
}

/// Calls function(arguments..., values...).
template <typename F, typename... Values>
struct with_last_arguments {
  F function;
  value_list<Values...> values;

  template <typename... Args>
    requires std::is_invocable_v<const F&, Args..., const Values&...>
  decltype(auto) operator()(Args&&... args) const {
    return invoke(values, std::forward<Args>(args)...);
  }

 private:
  template <typename... Left, typename... Args>
  decltype(auto) invoke(const value_list<Left...>& left, Args&&... args) const {
    if constexpr (sizeof...(Left) == 0)
      return std::invoke(function, std::forward<Args>(args)...);
    else
      return invoke(left.rest, std::forward<Args>(args)..., left.value);
  }
};

/// What with_device_code() returns.
template <typename F, typename... Values>
struct coded_function {
  using plain_type =
      std::conditional_t<sizeof...(Values) == 0, F, with_last_arguments<F, Values...>>;
  plain_type plain;
  std::shared_ptr<const device_code> code;

  template <typename... Args>
    requires std::is_invocable_v<const plain_type&, Args...>
  decltype(auto) operator()(Args&&... args) const {
    return std::invoke(plain, std::forward<Args>(args)...);
  }

  /// Calls describe() with the values as device code gets them.
  template <typename Describe>
  decltype(auto) with_device_values(Describe&& describe) const {
    if constexpr (sizeof...(Values) == 0) {
      return describe(std::span<const device_value>{});
    } else {
      device_value values[sizeof...(Values)];
      list_values(plain.values, values);
      return describe(std::span<const device_value>(values));
    }
  }

 private:
  static void list_values(const value_list<>&, device_value*) {}
  template <typename V, typename... Rest>
  static void list_values(const value_list<V, Rest...>& left, device_value* to) {
    *to = {&left.value, &device_type_of<V>};
    list_values(left.rest, to + 1);
  }
};

/// The function without its device code: a coded function's C++ function, with its values if it has
/// any; any other function itself.
template <typename F>
const F& plain_function(const F& f) {
  return f;
}
template <typename F, typename... Values>
const auto& plain_function(const coded_function<F, Values...>& f) {
  return f.plain;
}

template <typename F>
inline constexpr bool has_device_code = false;
template <typename F, typename... Values>
inline constexpr bool has_device_code<coded_function<F, Values...>> = true;

}  // namespace pappus::detail
