// Histograms of numbers: parts of equal width, and how many values lie in each.
//
//     for (auto [from, to, count] : flights.histogram(10, 0, 100, &flight::delay).collect()) ...
//
// As NumPy's: a part has what isn't below its beginning and is below its end, the last one `high`,
// too. Values outside, and NaN, are in no part. It is a group_by with a domain, so it runs on
// devices where the projection does, and files stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

#include "pappus/detail/fuse/statistics.h"
#include "pappus/group.h"
#include "pappus/query.h"

namespace pappus {

/// A part of a histogram.
struct histogram_bin {
  double from, to;
  std::int64_t count;
  friend bool operator==(const histogram_bin&, const histogram_bin&) = default;
};

namespace detail {

/// Throws usage_error unless it is a histogram; the width of its parts.
double check_histogram(std::int64_t n, double low, double high);

/// Where parts lie.
struct bin_borders {
  std::int64_t n;
  double low, high, width;

  double begin(std::int64_t part) const {
    return part == n ? high : low + static_cast<double>(part) * width;
  }
  /// The number of a value's part; n: it has none. Division may come to the next part's border, or
  /// short of its own.
  std::int64_t part_of(double value) const {
    if (!(value >= low && value <= high)) return n;
    auto part = static_cast<std::int64_t>((value - low) / width);
    part = part < n ? part : n - 1;
    const auto at = static_cast<double>(part);
    const bool before = value < low + at * width, behind = value >= low + (at + 1) * width;
    return part - (before ? 1 : 0) + (behind && part + 1 < n ? 1 : 0);
  }
};

template <typename F>
struct to_bin {
  F projection;
  bin_borders borders;
  auto calls() const { return std::tie(projection); }
  template <typename T>
  std::int64_t operator()(const T& record) const {
    const auto& value = std::invoke(projection, record);
    if constexpr (may_be_missing<std::remove_cvref_t<decltype(value)>>)
      return value ? borders.part_of(static_cast<double>(*value)) : borders.n;
    else
      return borders.part_of(static_cast<double>(value));
  }
};

template <typename Of, typename T>
template <typename F>
auto counting_members<Of, T>::histogram(std::int64_t n, double low, double high,
                                        F projection) const {
  const bin_borders borders{n, low, high, check_histogram(n, low, high)};
  return static_cast<const Of&>(*this)
      .map(to_bin<F>{std::move(projection), borders})
      .group_by(to_itself{}, domain{n + 1})
      .count()
      .take(n)
      .map([borders](const keyed<std::int64_t, std::int64_t>& of) {
        return histogram_bin{borders.begin(of.key), borders.begin(of.key + 1), of.value};
      });
}

}  // namespace detail
}  // namespace pappus
