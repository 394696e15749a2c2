// What pandas' describe() tells of numbers, in one record: flights.describe(&flight::delay).show().
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "pappus/aggregate.h"
#include "pappus/detail/fuse/statistics.h"
#include "pappus/group.h"
#include "pappus/quantile.h"
#include "pappus/query.h"

namespace pappus {

/// Of values; NaN where there are too few.
struct description {
  std::int64_t count;
  double mean;
  double std;                      ///< of a sample: the sum of squares is divided by n - 1
  double min, q25, q50, q75, max;  ///< quantile(0), ..., quantile(1)
};

namespace detail {

using moments_of_values = results<std::int64_t, double, double>;
using quartiles_of_values = std::array<double, 5>;
inline constexpr quartiles_of_values quartiles{0, 0.25, 0.5, 0.75, 1};

inline description describe_values(const moments_of_values& moments,
                                   const quartiles_of_values& at) {
  const auto& [n, mean, variance] = moments;
  const auto count = static_cast<double>(n);
  const double deviation = n < 2 ? std::numeric_limits<double>::quiet_NaN()
                                 : std::sqrt(variance * (count / (count - 1)));
  return {n, mean, deviation, at[0], at[1], at[2], at[3], at[4]};
}

template <typename Of, typename T>
template <typename F>
auto describe_members<Of, T>::describe(F projection) const {
  const auto& of = static_cast<const Of&>(*this);
  const auto counted = [&] {
    if constexpr (may_be_missing<projection_of<F, T>>)
      return count(projection);
    else
      return count();
  }();
  const auto moments = of.aggregate(counted, mean(projection), variance(projection));
  const auto at = of.quantiles(quartiles, projection);
  if constexpr (requires { typename Of::key_type; }) {
    using key = typename Of::key_type;
    return moments.zip(at).map([](const auto& both) {
      return keyed<key, description>{both.first.key,
                                     describe_values(both.first.value, both.second.value)};
    });
  } else {
    const auto rows = [&]<typename R>(const value<R>& of_one) {
      return collection<R>(access::session(of), access::node(of_one));
    };
    return rows(moments).zip(rows(at)).map(
        [](const auto& both) { return describe_values(both.first, both.second); });
  }
}

}  // namespace detail
}  // namespace pappus
