// What draws the records of a query, as members of queries; defined in plot.h.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "pappus/detail/base/missing.h"
#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/moments.h"

namespace pappus {

struct plot_options;

namespace detail {

template <typename F, typename T>
using drawn_by = present<std::remove_cvref_t<returned_by<F, T>>>;
template <typename F, typename T>
concept draws_places = takes_record<F, T> && moment<drawn_by<F, T>>;
template <typename F, typename T>
concept draws_heights = takes_record<F, T> && std::is_arithmetic_v<drawn_by<F, T>>;
template <typename F, typename T>
concept draws_names =
    takes_record<F, T> && std::is_same_v<std::remove_cvref_t<returned_by<F, T>>, std::string_view>;

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class plot_members {
 public:
  /// Runs the query and draws it as an SVG file: plot("delays.svg", &flight::day, &flight::delay),
  /// or a histogram of x alone. See plot.h.
  template <draws_places<T> X>
  void plot(const std::string& path, X x) const;
  template <draws_places<T> X>
  void plot(const std::string& path, X x, const plot_options& how) const;
  template <typename X, draws_heights<T> Y>
    requires draws_places<X, T> || draws_names<X, T>
  void plot(const std::string& path, X x, Y y) const;
  template <typename X, draws_heights<T> Y>
    requires draws_places<X, T> || draws_names<X, T>
  void plot(const std::string& path, X x, Y y, const plot_options& how) const;

  template <typename X, typename... Others>
    requires(!takes_record<X, T>)
  PAPPUS_REFUSED("plot: the function of x" PAPPUS_CANT_BE_CALLED)
  refused<T> plot(const std::string&, const X&, const Others&...) const {
    return {};
  }
  template <typename X, typename... Others>
    requires(takes_record<X, T> && !draws_places<X, T> && !draws_names<X, T>)
  PAPPUS_REFUSED(
      "plot: x must be numbers, pappus::dates or pappus::timestamps, or names (std::string_view)")
  refused<T> plot(const std::string&, const X&, const Others&...) const {
    return {};
  }
  template <draws_names<T> X, typename... Others>
    requires(sizeof...(Others) == 0)
  PAPPUS_REFUSED("plot: names need a y, such as counts: value_counts() makes them")
  refused<T> plot(const std::string&, const X&, const Others&...) const {
    return {};
  }
  template <typename X, typename Y, typename... Others>
    requires(draws_places<X, T> || draws_names<X, T>) && (!std::is_same_v<Y, plot_options>) &&
            (!draws_heights<Y, T>)
  PAPPUS_REFUSED("plot: y must be a function of a record that returns numbers")
  refused<T> plot(const std::string&, const X&, const Y&, const Others&...) const {
    return {};
  }
};

}  // namespace detail
}  // namespace pappus
