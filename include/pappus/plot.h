// Pictures of a query's records, as SVG: a look at a result, not for print.
//
//     flights.plot("miles.svg", &flight::miles);                         // a histogram
//     days.plot("delays.svg", &day::day, &day::mean_delay);              // a line, as x are dates
//     flights.plot("late.svg", &flight::miles, &flight::delay);          // points
//     flights.value_counts(&flight::carrier).plot("carriers.svg", by_key, by_value);  // bars
//
//   x            numbers, dates, timestamps, or names, a bar each (60 at most); what is missing,
//                NaN or infinite isn't drawn
//   y            numbers
//   Size         of the file: what the picture shows, however many records there are. Of a line's
//                points in one column of pixels the first, last, least and greatest are kept, of
//                points those in different places.
//   Memory       16 bytes a record; for a histogram none: two passes, of a file window by window
//   Determinism  the file's bytes depend on the records alone
//   Errors       usage_error for a path that doesn't end in .svg, more names than 60, and options
//                that can't be; format_error where the file can't be written
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pappus/aggregate.h"
#include "pappus/dates.h"
#include "pappus/detail/base/field_names.h"
#include "pappus/detail/base/fields.h"
#include "pappus/detail/fuse/describe.h"
#include "pappus/detail/fuse/plot_members.h"
#include "pappus/histogram.h"
#include "pappus/missing.h"
#include "pappus/query.h"
#include "pappus/records.h"

namespace pappus {

/// by_kind: bars of names, a line of dates and timestamps, points of numbers.
enum class plot_kind : std::uint8_t { by_kind, lines, points, bars };

struct plot_options {
  plot_kind kind = plot_kind::by_kind;
  std::string title{};
  std::string x{}, y{};           ///< what axes are called; empty: as members are
  int width = 720, height = 420;  ///< pixels, from 200 to 4000
  std::int64_t bins = 40;         ///< of a histogram
};

namespace detail {

enum class axis_kind : std::uint8_t { numbers, days, micros };

struct plot_request {
  std::string path;
  plot_options how;
  axis_kind x = axis_kind::numbers;
};

struct plot_point {
  double x, y;  ///< NaN: it isn't drawn
};
struct plot_bar {
  std::string_view name;
  double y;
};

/// Throws usage_error.
void check_plot(const plot_request& asked);
void draw_points(const plot_request& asked, std::span<const plot_point> points);
void draw_bars(const plot_request& asked, std::span<const plot_bar> bars);
/// \param bins  that lie side by side; none: there was nothing to draw
void draw_histogram(const plot_request& asked, std::span<const histogram_bin> bins);
/// Where a histogram of values from low to high begins and ends.
std::pair<double, double> histogram_ends(double low, double high);

template <typename V>
double place_of(const V& value) {
  if constexpr (may_be_missing<V>)
    return value ? place_of(*value) : std::numeric_limits<double>::quiet_NaN();
  else if constexpr (std::is_same_v<V, date>)
    return value.days;
  else if constexpr (std::is_same_v<V, timestamp>)
    return static_cast<double>(value.micros);
  else
    return static_cast<double>(value);
}
template <typename V>
constexpr axis_kind axis_of() {
  return std::is_same_v<V, date>        ? axis_kind::days
         : std::is_same_v<V, timestamp> ? axis_kind::micros
                                        : axis_kind::numbers;
}

template <typename X, typename Y>
struct to_point {
  X x;
  Y y;
  auto calls() const { return std::tie(x, y); }
  template <typename T>
  plot_point operator()(const T& record) const {
    return {place_of(std::invoke(x, record)), place_of(std::invoke(y, record))};
  }
};
template <typename X, typename Y>
struct to_bar {
  X x;
  Y y;
  auto calls() const { return std::tie(x, y); }
  template <typename T>
  plot_bar operator()(const T& record) const {
    return {std::invoke(x, record), place_of(std::invoke(y, record))};
  }
};
/// What can't be drawn is missing.
template <typename X>
struct to_place {
  X x;
  auto calls() const { return std::tie(x); }
  template <typename T>
  std::optional<double> operator()(const T& record) const {
    const auto place = place_of(std::invoke(x, record));
    return place - place == 0 ? std::optional(place) : std::nullopt;
  }
};

/// What a member is called; of other functions nothing.
template <typename T, typename F>
std::string name_of_member(const F& function) {
  std::string name;
  if constexpr (names_member<F>) {
    if constexpr (constexpr auto count = field_count<T>(); count > 0) {
      const auto record = zero_record<T>();
      const auto* const wanted =
          reinterpret_cast<const std::byte*>(&record) + member_offset<T>(member_of(function));
      visit_fields<count>(record, [&](const auto&... field) {
        constexpr auto names = names_of_fields<T>();
        std::size_t i = 0;
        const auto look = [&](const void* at) {
          if (at == wanted) name = names[i];
          ++i;
        };
        (look(std::addressof(field)), ...);
      });
    }
  }
  return name;
}

template <typename T, typename X, typename Y>
plot_request request_of(const std::string& path, const plot_options& how, const X& x, const Y& y) {
  plot_request asked{path, how, axis_of<drawn_by<X, T>>()};
  if (asked.how.x.empty()) asked.how.x = name_of_member<T>(x);
  if (asked.how.y.empty()) asked.how.y = name_of_member<T>(y);
  check_plot(asked);
  return asked;
}

template <typename Of, typename T>
template <draws_places<T> X>
void plot_members<Of, T>::plot(const std::string& path, X x) const {
  plot(path, std::move(x), plot_options{});
}
template <typename Of, typename T>
template <draws_places<T> X>
void plot_members<Of, T>::plot(const std::string& path, X x, const plot_options& how) const {
  auto asked = request_of<T>(path, how, x, nullptr);
  const auto places = static_cast<const Of&>(*this).map(to_place<X>{std::move(x)});
  const auto [least, greatest] = places.aggregate((pappus::min)(), (pappus::max)()).get();
  if (!least) return draw_histogram(asked, {});
  const auto [low, high] = histogram_ends(*least, *greatest);
  const auto bins = places.histogram(how.bins, low, high).collect();
  draw_histogram(asked, {bins.data(), bins.size()});
}

template <typename Of, typename T>
template <typename X, draws_heights<T> Y>
  requires draws_places<X, T> || draws_names<X, T>
void plot_members<Of, T>::plot(const std::string& path, X x, Y y) const {
  plot(path, std::move(x), std::move(y), plot_options{});
}
template <typename Of, typename T>
template <typename X, draws_heights<T> Y>
  requires draws_places<X, T> || draws_names<X, T>
void plot_members<Of, T>::plot(const std::string& path, X x, Y y, const plot_options& how) const {
  const auto asked = request_of<T>(path, how, x, y);
  const auto& of = static_cast<const Of&>(*this);
  if constexpr (draws_names<X, T>) {
    const auto bars = of.map(to_bar<X, Y>{std::move(x), std::move(y)}).collect();
    draw_bars(asked, {bars.data(), bars.size()});
  } else {
    const auto points = of.map(to_point<X, Y>{std::move(x), std::move(y)}).collect();
    draw_points(asked, {points.data(), points.size()});
  }
}

}  // namespace detail
}  // namespace pappus
