// Several functions of one record as one: what aggregate() reduces (detail/loops/several.h), and
// keys of several fields.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/detail/fuse/describe.h"
#include "pappus/detail/fuse/function.h"
#include "pappus/results.h"

namespace pappus::detail {

template <typename First, typename... Others>
struct device_shape<results<First, Others...>>
    : two_device_fields<device_shape<results<First, Others...>>, First, results<Others...>> {
  static constexpr std::string_view names[] = {"first", "others"};
  static constexpr device_type make() {
    return device_fields<results<First, Others...>>(device_shape::fields);
  }
};
template <typename Only>
struct device_shape<results<Only>> {
  static constexpr device_field fields[] = {{"first", 0, &device_type_of<Only>}};
  static constexpr device_type make() { return device_fields<results<Only>>(fields); }
};

/// The type of values for reducers that don't look at values.
struct nothing {};
struct to_nothing {
  template <typename T>
  nothing operator()(const T&) const {
    return {};
  }
};

template <typename F, typename T>
using projection_of = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;

/// Yields results of those functions that yield something; of one what that yields.
template <typename... Fs>
class projections {
 public:
  static constexpr std::size_t parts = sizeof...(Fs);
  /// How many functions yield something.
  static constexpr std::size_t values = (std::size_t{!std::is_same_v<Fs, to_nothing>} + ...);

  explicit projections(const Fs&... functions) : functions_(functions...) {}

  template <typename T>
    requires(std::is_invocable_v<const Fs&, const T&> && ...)
  auto operator()(const T& record) const {
    return call(record, std::make_index_sequence<values>());
  }

  /// As device code, of a record of type In.
  template <typename Out, typename In>
  device_variable describe(device_writer& to, std::span<const device_variable> record) const {
    return describe<In>(to, record, std::make_index_sequence<values>());
  }

  template <std::size_t I>
  const auto& function_at() const {
    return get<I>(functions_);
  }
  /// What one of all functions yields.
  template <std::size_t I, typename T>
  decltype(auto) one(const T& record) const {
    return std::invoke(function_at<I>(), record);
  }

 private:
  /// Their numbers.
  static constexpr auto yielding = [] {
    std::array<std::size_t, values> found{};
    std::size_t count = 0, number = 0;
    ((std::is_same_v<Fs, to_nothing> ? void() : void(found[count++] = number), ++number), ...);
    return found;
  }();
  template <std::size_t I>
  const auto& function() const {
    return get<yielding[I]>(functions_);
  }
  template <std::size_t I, typename T>
  using value = projection_of<std::tuple_element_t<yielding[I], std::tuple<Fs...>>, T>;

  template <typename T, std::size_t... I>
  auto call([[maybe_unused]] const T& record, std::index_sequence<I...>) const {
    if constexpr (values == 0)
      return nothing{};
    else if constexpr (values == 1)
      return std::invoke(function<0>(), record);
    else
      return results<value<I, T>...>(std::invoke(function<I>(), record)...);
  }

  template <typename In, std::size_t... I>
  device_variable describe(device_writer& to, std::span<const device_variable> record,
                           std::index_sequence<I...>) const {
    const device_variable each[] = {
        describe_function<value<I, In>, In>(function<I>(), to, record)...};
    if constexpr (values == 1)
      return each[0];
    else
      return made<value<I, In>...>(to, each);
  }
  template <typename First, typename... Others>
  static device_variable made(device_writer& to, const device_variable* each) {
    if constexpr (sizeof...(Others) == 0) {
      return to.make(device_type_of<results<First>>, {each, 1});
    } else {
      const device_variable both[] = {each[0], made<Others...>(to, each + 1)};
      return to.make(device_type_of<results<First, Others...>>, both);
    }
  }

  results<Fs...> functions_;
};

template <typename... Fs>
inline constexpr std::size_t parts_of_function<projections<Fs...>> = sizeof...(Fs);

}  // namespace pappus::detail
