// Several functions of one record as one: what aggregate() reduces (detail/loops/several.h), and
// keys of several fields.
#pragma once

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
  template <std::size_t... Found, std::size_t... I>
  static constexpr auto yielding_among(std::index_sequence<Found...> found,
                                       std::index_sequence<I...>) {
    if constexpr (sizeof...(I) == 0)
      return found;
    else
      return next_among<I...>(found);
  }
  template <std::size_t I, std::size_t... More, std::size_t... Found>
  static constexpr auto next_among(std::index_sequence<Found...> found) {
    if constexpr (std::is_same_v<std::tuple_element_t<I, std::tuple<Fs...>>, to_nothing>)
      return yielding_among(found, std::index_sequence<More...>());
    else
      return yielding_among(std::index_sequence<Found..., I>(), std::index_sequence<More...>());
  }
  /// Numbers of the functions that yield something.
  static constexpr auto yielding =
      yielding_among(std::index_sequence<>(), std::index_sequence_for<Fs...>());

 public:
  static constexpr std::size_t values = decltype(yielding)::size();

  explicit projections(const Fs&... functions) : functions_(functions...) {}

  template <typename T>
    requires(std::is_invocable_v<const Fs&, const T&> && ...)
  auto operator()(const T& record) const {
    return call(record, yielding);
  }

  /// As device code, of a record of type In.
  template <typename Out, typename In>
  device_variable describe(device_writer& to, std::span<const device_variable> record) const {
    return describe<In>(to, record, yielding);
  }

 private:
  template <typename T, std::size_t... I>
  auto call([[maybe_unused]] const T& record, std::index_sequence<I...>) const {
    if constexpr (sizeof...(I) == 0)
      return nothing{};
    else if constexpr (sizeof...(I) == 1)
      return (std::invoke(get<I>(functions_), record), ...);
    else
      return results<projection_of<std::tuple_element_t<I, std::tuple<Fs...>>, T>...>(
          std::invoke(get<I>(functions_), record)...);
  }

  template <typename In, std::size_t... I>
  device_variable describe(device_writer& to, std::span<const device_variable> record,
                           std::index_sequence<I...>) const {
    const device_variable each[] = {
        describe_function<projection_of<std::tuple_element_t<I, std::tuple<Fs...>>, In>, In>(
            get<I>(functions_), to, record)...};
    if constexpr (sizeof...(I) == 1)
      return each[0];
    else
      return made<projection_of<std::tuple_element_t<I, std::tuple<Fs...>>, In>...>(to, each);
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

}  // namespace pappus::detail
