// Statistics of all records and of groups that no reducer finds, and what chooses some of them, as
// members of queries and groups.
//
// They are defined in headers of their own: quantile.h, distinct.h, histogram.h, describe.h,
// group_choice.h, sample.h, rolling.h; windows.h beside this has more. Beside each is what it
// refuses, as in refusals.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/aggregate.h"
#include "pappus/detail/fuse/function.h"
#include "pappus/detail/fuse/windows.h"

namespace pappus::detail {

#define PAPPUS_ISNT_A_NUMBER_KEY                                                              \
  " isn't a key of groups' records: these are numbers, enums, or structs, pappus::pairs and " \
  "std::arrays of such, of at most 16 bytes"

template <typename Key, typename T>
concept returns_no_bits_key =
    takes_record<Key, T> && !bits_key<std::remove_cvref_t<returned_by<Key, T>>>;

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

/// \tparam Of  a query or groups
/// \tparam T   their records
template <typename Of, typename T>
class distinct_members {
 public:
  /// How many different values there are, std::int64_t: any keys of groups, of which NaN is one and
  /// -0.0 is 0.0. See distinct.h.
  template <typename F = to_itself>
  auto count_distinct(F projection = {}) const;

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("count_distinct: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> count_distinct(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires(takes_record<F, T> && !returns_group_key<F, T>)
  PAPPUS_REFUSED("count_distinct: the value" PAPPUS_ISNT_A_GROUP_KEY)
  refused<T> count_distinct(F = {}) const {
    return {};
  }
};

/// \tparam Of  a query or groups
/// \tparam T   their records
template <typename Of, typename T>
class describe_members {
 public:
  /// Count, mean, standard deviation, least value, quartiles and greatest value as one record, of
  /// groups one each: q.describe(&flight::delay).show(). See describe.h.
  template <typename F = to_itself>
  auto describe(F projection = {}) const;

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("describe: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> describe(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED(
      "describe: the values aren't numbers: give a projection, as in describe(&sale::price)")
  refused<T> describe(F = {}) const {
    return {};
  }
};

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class counting_members {
 public:
  /// Each different value and how many there are of it, keyed<V, std::int64_t>, the most frequent
  /// first; of equally frequent ones the least value. See distinct.h.
  template <typename F = to_itself>
  auto value_counts(F projection = {}) const;
  /// Of each combination of several: value_counts(&flight::from, &flight::to).
  template <typename F, typename... More>
    requires(further_keys<T, More...> && returns_group_key<F, T> &&
             (returns_group_key<More, T> && ...))
  auto value_counts(F projection, More... more) const;
  /// How many values lie in each of n parts of equal width between low and high, in order:
  /// histogram_bin{from, to, count}. See histogram.h.
  template <typename F = to_itself>
  auto histogram(std::int64_t n, double low, double high, F projection = {}) const;

  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("value_counts: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> value_counts(F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires(takes_record<F, T> && !returns_group_key<F, T>)
  PAPPUS_REFUSED("value_counts: the value" PAPPUS_ISNT_A_GROUP_KEY)
  refused<T> value_counts(F = {}) const {
    return {};
  }
  template <typename F, typename... More>
    requires(sizeof...(More) > 0 && !(takes_record<F, T> && further_keys<T, More...>))
  PAPPUS_REFUSED("value_counts: a projection" PAPPUS_CANT_BE_CALLED)
  refused<T> value_counts(F, More...) const {
    return {};
  }
  template <typename F, typename... More>
    requires(takes_record<F, T> && further_keys<T, More...> &&
             !(returns_group_key<F, T> && (returns_group_key<More, T> && ...)))
  PAPPUS_REFUSED("value_counts: a value" PAPPUS_ISNT_A_GROUP_KEY)
  refused<T> value_counts(F, More...) const {
    return {};
  }
  template <typename F = to_itself>
    requires(!takes_record<F, T>)
  PAPPUS_REFUSED("histogram: the projection" PAPPUS_CANT_BE_CALLED)
  refused<T> histogram(std::int64_t, double, double, F = {}) const {
    return {};
  }
  template <typename F = to_itself>
    requires averages_not<F, T>
  PAPPUS_REFUSED(
      "histogram: the values aren't numbers: give a projection, as in histogram(10, 0, 100, "
      "&sale::price)")
  refused<T> histogram(std::int64_t, double, double, F = {}) const {
    return {};
  }
};

/// \tparam Of  groups
/// \tparam T   their records
template <typename Of, typename T>
class choice_members {
 public:
  /// The n records of each group with the greatest keys, greatest first, of equals the first rows;
  /// groups in ascending key order. See group_choice.h.
  template <typename Key>
  auto top(std::int64_t n, Key key) const;
  /// The n records of each group with the least keys, least first.
  template <typename Key>
  auto bottom(std::int64_t n, Key key) const;
  /// The first n records of each group.
  auto take(std::int64_t n) const;

  PAPPUS_REFUSED("top: of groups expected a key, as in top(3, &sale::price)")
  refused<T> top(std::int64_t) const { return {}; }
  PAPPUS_REFUSED("bottom: of groups expected a key, as in bottom(3, &sale::price)")
  refused<T> bottom(std::int64_t) const { return {}; }

  template <typename Key>
    requires(!takes_record<Key, T>)
  PAPPUS_REFUSED("top: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> top(std::int64_t, Key) const {
    return {};
  }
  template <typename Key>
    requires returns_no_bits_key<Key, T>
  PAPPUS_REFUSED("top: what the key function returns" PAPPUS_ISNT_A_NUMBER_KEY)
  refused<T> top(std::int64_t, Key) const {
    return {};
  }
  template <typename Key>
    requires(!takes_record<Key, T>)
  PAPPUS_REFUSED("bottom: the key function" PAPPUS_CANT_BE_CALLED)
  refused<T> bottom(std::int64_t, Key) const {
    return {};
  }
  template <typename Key>
    requires returns_no_bits_key<Key, T>
  PAPPUS_REFUSED("bottom: what the key function returns" PAPPUS_ISNT_A_NUMBER_KEY)
  refused<T> bottom(std::int64_t, Key) const {
    return {};
  }
};

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class sampling_members {
 public:
  /// n records, drawn without replacement; or each with probability n, a floating-point number from
  /// 0 to 1. In their order. Which ones depends on numbers of records and the seed. See sample.h.
  template <typename N>
  auto sample(N n, std::uint64_t seed = 0) const;
  /// All records, in an order that depends on their number and the seed.
  auto shuffle(std::uint64_t seed = 0) const;
  /// All records, the last first.
  auto reverse() const;

  template <typename N>
    requires(!std::is_arithmetic_v<N>)
  PAPPUS_REFUSED("sample: expected how many records, or which part: sample(1000) or sample(0.01)")
  refused<T> sample(N, std::uint64_t = 0) const {
    return {};
  }
};

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class rolling_members {
 public:
  /// Aggregates of each row and the n - 1 before it, fewer at the beginning: rolling(7,
  /// mean(&price::close)). Of one its result, of several results. 1 <= n <= 4,096. See rolling.h.
  template <typename... Aggregates>
  auto rolling(std::int64_t n, const Aggregates&... wanted) const;

  template <typename... Aggregates>
    requires(sizeof...(Aggregates) == 0 || !(is_aggregate<Aggregates> && ...))
  PAPPUS_REFUSED(
      "rolling: behind the window's length expected what to compute, as in rolling(7, "
      "mean(&sale::price))")
  refused<T> rolling(std::int64_t, const Aggregates&...) const {
    return {};
  }
  template <typename... Aggregates>
    requires(sizeof...(Aggregates) > 0 && (is_aggregate<Aggregates> && ...) &&
             !(takes_record_as_well<Aggregates, T> && ...))
  PAPPUS_REFUSED("rolling: a projection" PAPPUS_CANT_BE_CALLED)
  refused<T> rolling(std::int64_t, const Aggregates&...) const {
    return {};
  }
  template <typename... Aggregates>
    requires((is_aggregate<Aggregates> && ...) && (takes_record_as_well<Aggregates, T> && ...) &&
             (reduces_not<Aggregates, T> || ...))
  PAPPUS_REFUSED(
      "rolling: an aggregate can't take its values, as aggregate() tells: give a projection, as in "
      "mean(&sale::price)")
  refused<T> rolling(std::int64_t, const Aggregates&...) const {
    return {};
  }
};

template <typename Of, typename T>
class query_statistics : public quantile_members<Of, T>,
                         public distinct_members<Of, T>,
                         public describe_members<Of, T>,
                         public counting_members<Of, T>,
                         public sampling_members<Of, T>,
                         public rolling_members<Of, T>,
                         public while_members<Of, T> {};

template <typename Of, typename T>
class group_statistics : public quantile_members<Of, T>,
                         public distinct_members<Of, T>,
                         public describe_members<Of, T>,
                         public choice_members<Of, T>,
                         public over_members<Of, T> {};

}  // namespace pappus::detail
