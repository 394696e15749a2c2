// Joins that are made of other operators, as members of queries: asof_join, range_join and
// cross_join.
//
// They are defined in headers of their own. Beside each is what it refuses, as in refusals.h.
#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "pappus/detail/base/refused.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/detail/fuse/moments.h"

namespace pappus {

template <typename E>
class query;

/// Which right record asof_join() takes, by its time: the last one at the left record's time or
/// before; the first one at it or after; the nearer of these, of equally near ones the earlier. Or,
/// leaving out those at the very time, the last one before, the first one after.
enum class asof : std::uint8_t { backward, forward, nearest, before, after };

namespace detail {

enum class asof_mistake : std::uint8_t {
  none,
  key_call,
  keys_differ,
  key_text,
  no_key,
  time_call,
  no_time,
  times_differ,
  combine,
  tolerance
};

template <typename T, typename Right, typename LeftTime, typename RightTime, typename Combine,
          typename... Within>
consteval asof_mistake mistake_in_times() {
  using right = typename Right::value_type;
  if constexpr (!takes_record<LeftTime, T> || !takes_record<RightTime, right>)
    return asof_mistake::time_call;
  else if constexpr (!moment<present_by<LeftTime, T>> || !moment<present_by<RightTime, right>>)
    return asof_mistake::no_time;
  else if constexpr (!std::is_same_v<present_by<LeftTime, T>, present_by<RightTime, right>>)
    return asof_mistake::times_differ;
  else if constexpr (!std::is_invocable_v<const Combine&, const T&, const right*>)
    return asof_mistake::combine;
  else if constexpr (sizeof...(Within) > 1 ||
                     !(distance_of<Within, present_by<LeftTime, T>> && ...))
    return asof_mistake::tolerance;
  else
    return asof_mistake::none;
}
template <typename T, typename Right, typename LeftKey, typename RightKey, typename... Others>
consteval asof_mistake mistake_in_keys() {
  if constexpr (!takes_keys<LeftKey, T, RightKey, Right>)
    return asof_mistake::key_call;
  else if constexpr (keys_differ<LeftKey, T, RightKey, Right>)
    return asof_mistake::keys_differ;
  else if constexpr (text_keys_may_be_missing<LeftKey, T, RightKey, Right>)
    return asof_mistake::key_text;
  else if constexpr (!group_key<present_by<LeftKey, T>>)
    return asof_mistake::no_key;
  else if constexpr (sizeof...(Others) == 0)
    return asof_mistake::none;
  else
    return mistake_in_times<T, Right, Others...>();
}

/// Of bounds and what may lie between them: of range_join.
template <typename T, typename Right, typename Low, typename High, typename Point, typename Combine>
consteval asof_mistake mistake_in_range() {
  using right = typename Right::value_type;
  if constexpr (!takes_record<High, T>)
    return asof_mistake::time_call;
  else if constexpr (constexpr auto of_low =
                         mistake_in_times<T, Right, Low, Point,
                                          decltype([](const T&, const right*) { return 0; })>();
                     of_low != asof_mistake::none)
    return of_low;
  else if constexpr (!std::is_same_v<present_by<High, T>, present_by<Low, T>>)
    return moment<present_by<High, T>> ? asof_mistake::times_differ : asof_mistake::no_time;
  else if constexpr (!std::is_invocable_v<const Combine&, const T&, const right&>)
    return asof_mistake::combine;
  else
    return asof_mistake::none;
}
template <typename T, typename Right, typename LeftKey, typename RightKey, typename... Others>
consteval asof_mistake mistake_in_keyed_range() {
  constexpr auto of_keys = mistake_in_keys<T, Right, LeftKey, RightKey>();
  if constexpr (of_keys != asof_mistake::none)
    return of_keys;
  else
    return mistake_in_range<T, Right, Others...>();
}

/// \tparam Of  a query
/// \tparam T   its records
template <typename Of, typename T>
class composed_joins {
 public:
  /// combine(record, pointer to one of right's with the same key): the last at the record's time or
  /// before it, or `which` says; null where there is none, or none within a tolerance. In the order
  /// of this. See asof_join.h.
  template <typename Right, typename LeftKey, typename RightKey, typename LeftTime,
            typename RightTime, typename Combine, typename... Within>
    requires(
        mistake_in_keys<T, Right, LeftKey, RightKey, LeftTime, RightTime, Combine, Within...>() ==
        asof_mistake::none)
  auto asof_join(const query<Right>& right, LeftKey left_key, RightKey right_key,
                 LeftTime left_time, RightTime right_time, Combine combine,
                 asof which = asof::backward, const Within&... within) const;
  /// The same of any of right's.
  template <typename Right, typename LeftTime, typename RightTime, typename Combine,
            typename... Within>
    requires(mistake_in_times<T, Right, LeftTime, RightTime, Combine, Within...>() ==
             asof_mistake::none)
  auto asof_join(const query<Right>& right, LeftTime left_time, RightTime right_time,
                 Combine combine, asof which = asof::backward, const Within&... within) const;

  /// combine(record, one of right's with the same key) for each whose point lies between low and
  /// high, or is one of them. In the order of this, and for one record of points. See range_join.h.
  template <typename Right, typename LeftKey, typename RightKey, typename Low, typename High,
            typename Point, typename Combine>
    requires(mistake_in_keyed_range<T, Right, LeftKey, RightKey, Low, High, Point, Combine>() ==
             asof_mistake::none)
  auto range_join(const query<Right>& right, LeftKey left_key, RightKey right_key, Low low,
                  High high, Point point, Combine combine) const;
  /// The same of any of right's.
  template <typename Right, typename Low, typename High, typename Point, typename Combine>
    requires(mistake_in_range<T, Right, Low, High, Point, Combine>() == asof_mistake::none)
  auto range_join(const query<Right>& right, Low low, High high, Point point,
                  Combine combine) const;

  /// combine(record, record of right) for every pair, in the order of this and, for one record, of
  /// right. See cross_join.h.
  template <typename Right, typename Combine>
    requires std::is_invocable_v<const Combine&, const T&, const typename Right::value_type&>
  auto cross_join(const query<Right>& right, Combine combine) const;

#define PAPPUS_ASOF_REFUSED(mistake, sentence)                                                     \
  template <typename Right, typename LeftKey, typename RightKey, typename LeftTime,                \
            typename RightTime, typename Combine, typename... Within>                              \
    requires(                                                                                      \
        !std::is_same_v<RightTime, asof> &&                                                        \
        mistake_in_keys<T, Right, LeftKey, RightKey, LeftTime, RightTime, Combine, Within...>() == \
            asof_mistake::mistake)                                                                 \
  PAPPUS_REFUSED(sentence)                                                                         \
  refused<T> asof_join(const query<Right>&, LeftKey, RightKey, LeftTime, RightTime, Combine,       \
                       asof = {}, const Within&...) const {                                        \
    return {};                                                                                     \
  }                                                                                                \
  template <typename Right, typename LeftTime, typename RightTime, typename Combine,               \
            typename... Within>                                                                    \
    requires(mistake_in_times<T, Right, LeftTime, RightTime, Combine, Within...>() ==              \
             asof_mistake::mistake)                                                                \
  PAPPUS_REFUSED(sentence)                                                                         \
  refused<T> asof_join(const query<Right>&, LeftTime, RightTime, Combine, asof = {},               \
                       const Within&...) const {                                                   \
    return {};                                                                                     \
  }
  PAPPUS_ASOF_REFUSED(key_call, "asof_join: a key function" PAPPUS_CANT_BE_CALLED)
  PAPPUS_ASOF_REFUSED(keys_differ, "asof_join" PAPPUS_KEYS_DIFFER)
  PAPPUS_ASOF_REFUSED(key_text, "asof_join" PAPPUS_MISSING_TEXT)
  PAPPUS_ASOF_REFUSED(no_key, "asof_join: what a key function returns" PAPPUS_ISNT_A_GROUP_KEY)
  PAPPUS_ASOF_REFUSED(time_call, "asof_join: a function of times" PAPPUS_CANT_BE_CALLED)
  PAPPUS_ASOF_REFUSED(no_time,
                      "asof_join: a time must be a number, a pappus::date or a pappus::timestamp, "
                      "or a std::optional of one")
  PAPPUS_ASOF_REFUSED(times_differ,
                      "asof_join: the times of both sides must have the same type: convert one of "
                      "them in its function")
  PAPPUS_ASOF_REFUSED(combine,
                      "asof_join: the combining function can't be called with a record of each "
                      "side: expected (const T&, const U*): the pointer is null where there is no "
                      "match")
  PAPPUS_ASOF_REFUSED(tolerance,
                      "asof_join: after the direction expected nothing or a tolerance: a number, "
                      "for dates of days; for timestamps a std::chrono duration")
#undef PAPPUS_ASOF_REFUSED

#define PAPPUS_RANGE_REFUSED(mistake, sentence)                                                    \
  template <typename Right, typename LeftKey, typename RightKey, typename Low, typename High,      \
            typename Point, typename Combine>                                                      \
    requires(mistake_in_keyed_range<T, Right, LeftKey, RightKey, Low, High, Point, Combine>() ==   \
             asof_mistake::mistake)                                                                \
  PAPPUS_REFUSED(sentence)                                                                         \
  refused<T> range_join(const query<Right>&, LeftKey, RightKey, Low, High, Point, Combine) const { \
    return {};                                                                                     \
  }                                                                                                \
  template <typename Right, typename Low, typename High, typename Point, typename Combine>         \
    requires(mistake_in_range<T, Right, Low, High, Point, Combine>() == asof_mistake::mistake)     \
  PAPPUS_REFUSED(sentence)                                                                         \
  refused<T> range_join(const query<Right>&, Low, High, Point, Combine) const {                    \
    return {};                                                                                     \
  }
  PAPPUS_RANGE_REFUSED(key_call, "range_join: a key function" PAPPUS_CANT_BE_CALLED)
  PAPPUS_RANGE_REFUSED(keys_differ, "range_join" PAPPUS_KEYS_DIFFER)
  PAPPUS_RANGE_REFUSED(key_text, "range_join" PAPPUS_MISSING_TEXT)
  PAPPUS_RANGE_REFUSED(no_key, "range_join: what a key function returns" PAPPUS_ISNT_A_GROUP_KEY)
  PAPPUS_RANGE_REFUSED(time_call,
                       "range_join: a function of bounds or points" PAPPUS_CANT_BE_CALLED)
  PAPPUS_RANGE_REFUSED(no_time,
                       "range_join: bounds and points must be numbers, pappus::dates or "
                       "pappus::timestamps, or std::optionals of such")
  PAPPUS_RANGE_REFUSED(times_differ,
                       "range_join: bounds and points must have the same type: convert some in "
                       "their function")
  PAPPUS_RANGE_REFUSED(combine,
                       "range_join: the combining function can't be called with a record of each "
                       "side: expected (const T&, const U&)")
#undef PAPPUS_RANGE_REFUSED

  template <typename Right, typename Combine>
    requires(!std::is_invocable_v<const Combine&, const T&, const typename Right::value_type&>)
  PAPPUS_REFUSED(
      "cross_join: the combining function can't be called with a record of each side: expected "
      "(const T&, const U&)")
  refused<T> cross_join(const query<Right>&, Combine) const {
    return {};
  }
};

}  // namespace detail
}  // namespace pappus
