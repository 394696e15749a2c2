// Statistics of all records and of groups that no reducer finds, as members of queries and groups.
//
// They are defined in headers of their own: quantile.h. Beside each is what it refuses, as in
// refusals.h.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/function.h"

namespace pappus::detail {

/// \tparam Of  a query or groups
/// \tparam T   their records
template <typename Of, typename T>
class quantile_members {
 public:
  /// What lies in the middle of the values, or of the two in the middle: quantile(0.5, projection).
  template <typename F = to_itself>
  auto median(F projection = {}) const;
  /// Of n values in order, numbered from 0, what lies at p (n - 1), linearly between neighbours:
  /// double, NaN of nothing. NaN is greater than every number. Throws usage_error unless p is from
  /// 0 to 1. See quantile.h.
  template <typename F = to_itself>
  auto quantile(double p, F projection = {}) const;
  /// Several in one std::array<double, N>: quantiles(std::array{0.5, 0.95}, &flight::delay).
  template <std::size_t N, typename F = to_itself>
  auto quantiles(const std::array<double, N>& p, F projection = {}) const;

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("median: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> median(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED("median: the values aren't numbers: give a projection, as in median(&sale::price)")
  refused<T> median(F = {}) const {
    return {};
  }
  template <typename P, typename F = to_itself>
    requires(!std::is_arithmetic_v<P>)
  PAPPUS_REFUSED("quantile: expected p first, as in quantile(0.95, &sale::price)")
  refused<T> quantile(P, F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("quantile: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> quantile(double, F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED(
      "quantile: the values aren't numbers: give a projection, as in quantile(0.95, &sale::price)")
  refused<T> quantile(double, F = {}) const {
    return {};
  }
  template <std::size_t N, typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("quantiles: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> quantiles(const std::array<double, N>&, F = {}) const {
    return {};
  }
  template <std::size_t N, typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED("quantiles: the values aren't numbers: give a projection behind the array")
  refused<T> quantiles(const std::array<double, N>&, F = {}) const {
    return {};
  }

 private:
  template <typename Out, std::size_t N, typename F>
  auto found_quantiles(const char* name, const std::array<double, N>& p, F projection) const;
};

template <typename Of, typename T>
class query_statistics : public quantile_members<Of, T> {};

template <typename Of, typename T>
class group_statistics : public quantile_members<Of, T> {};

}  // namespace pappus::detail
