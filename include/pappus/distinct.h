// How many different values there are, of all records and of groups, and how often each is there:
//
//     std::int64_t planes = flights.count_distinct(&flight::tail);
//     auto per_carrier = flights.group_by(&flight::carrier).count_distinct(&flight::tail);
//     flights.value_counts(&flight::to).show();
//
// Values are compared as group_by compares keys; those that are missing aren't counted, but by
// value_counts. All but one of these are made of other operators:
// the values of groups that are numbers of up to 64 bits are put side by side by group, and counted
// there. Pairs of key and value would need a table of all of them, which took 3 to 7 times as long.
// Counts that are nearly right: approximate.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pappus/category.h"
#include "pappus/detail/base/count_different.h"
#include "pappus/detail/fuse/describe.h"
#include "pappus/detail/fuse/known_values.h"
#include "pappus/detail/fuse/statistics.h"
#include "pappus/group.h"
#include "pappus/query.h"
#include "pappus/sort.h"

namespace pappus::detail {

/// A projection, as key bits.
template <typename F>
struct to_key_bits {
  F projection;
  auto calls() const { return std::tie(projection); }
  template <typename T>
  auto operator()(const T& record) const {
    return encode_key(std::invoke(projection, record));
  }
};

/// What map_groups calls for a group of Vs.
template <typename V>
struct group_count_different {
  static constexpr bool reorders_values = true, makes_keyed = true;
  template <typename Key>
  keyed<Key, std::int64_t> operator()(const Key& key, std::span<key_bits<V>> values) const {
    return {key, count_different(known_bits<V>(values))};
  }
};

template <typename V>
inline constexpr bool counts_in_groups = false;
template <bits_key V>
inline constexpr bool counts_in_groups<V> = key_codec<V>::width <= 64;
template <typename V>
inline constexpr bool counts_in_groups<std::optional<V>> = counts_in_groups<V>;

/// A category's code, by which different ones are told apart, too.
template <typename F>
struct to_code {
  F projection;
  auto calls() const { return std::tie(projection); }
  template <typename T>
  auto operator()(const T& record) const {
    const auto own = std::invoke(projection, record);
    if constexpr (may_be_missing<std::remove_cv_t<decltype(own)>>)
      return own ? std::optional(own->code()) : std::nullopt;
    else
      return own.code();
  }
  /// As device code, of a record of type In.
  template <typename Out, typename In>
    requires std::is_same_v<Out, std::uint32_t>
  device_variable describe(device_writer& to, std::span<const device_variable> record) const {
    return to.field(describe_function<category, In>(projection, to, record), 0,
                    device_type_of<std::uint32_t>);
  }
};

template <typename E, typename F>
auto distinct_of_rows(const query<E>& of, F projection) {
  if constexpr (may_be_missing<projection_of<F, value_of<E>>>)
    return of.filter(is_known<F>{projection}).map(known_value<F>{projection}).distinct().count();
  else if constexpr (std::is_same_v<F, to_itself>)
    return of.distinct().count();
  else
    return of.map(std::move(projection)).distinct().count();
}

template <typename E, typename Key, bool Dense, typename F>
auto distinct_of_groups(const grouped<E, Key, Dense>& of, F projection) {
  using value = projection_of<F, value_of<E>>;
  if constexpr (counts_in_groups<value>) {
    return access::map_groups(of, "count_distinct", group_count_different<value>{},
                              to_key_bits<F>{std::move(projection)});
  } else {
    return access::count_distinct_pairs(of, std::move(projection));
  }
}

template <typename Of, typename T>
template <typename F>
auto distinct_members<Of, T>::count_distinct(F projection) const {
  const auto& of = static_cast<const Of&>(*this);
  if constexpr (is_category<present<projection_of<F, T>>>)
    return count_distinct(to_code<F>{std::move(projection)});
  else if constexpr (requires { typename Of::key_type; })
    return distinct_of_groups(of, std::move(projection));
  else
    return distinct_of_rows(of, std::move(projection));
}

/// Orders counts: the greatest first.
struct greatest_count {
  template <typename K>
  std::int64_t operator()(const keyed<K, std::int64_t>& of) const {
    return of.value;
  }
};

template <typename Of, typename T>
template <typename F>
auto counting_members<Of, T>::value_counts(F projection) const {
  const auto& of = static_cast<const Of&>(*this);
  return of.group_by(std::move(projection)).count().sort_by(descending(greatest_count{}));
}
template <typename Of, typename T>
template <typename F, typename... More>
  requires(further_keys<T, More...> && returns_group_key<F, T> &&
           (returns_group_key<More, T> && ...))
auto counting_members<Of, T>::value_counts(F projection, More... more) const {
  const auto& of = static_cast<const Of&>(*this);
  return of.group_by(std::move(projection), more...).count().sort_by(descending(greatest_count{}));
}

}  // namespace pappus::detail
