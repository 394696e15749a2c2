// Times, which have an order and a distance: numbers, dates and timestamps.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "pappus/dates.h"
#include "pappus/detail/base/missing.h"
#include "pappus/detail/fuse/accepts.h"
#include "pappus/error.h"

namespace pappus::detail {

template <typename T>
concept moment = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) ||
                 std::is_same_v<T, date> || std::is_same_v<T, timestamp>;
/// What a function of records returns, where it is there.
template <typename F, typename T>
using present_by = present<std::remove_cvref_t<returned_by<F, T>>>;

template <typename T>
inline constexpr bool is_duration = false;
template <typename Rep, typename Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;
/// What users say Times are apart.
template <typename Within, typename Time>
concept distance_of = (std::is_same_v<Time, timestamp> && is_duration<Within>) ||
                      (std::is_floating_point_v<Time> && std::is_arithmetic_v<Within>) ||
                      (!std::is_same_v<Time, timestamp> && std::is_integral_v<Within>);

/// The distance of two times: without overflow, whatever their type.
template <typename Time>
using distance = std::conditional_t<std::is_floating_point_v<Time>, double, std::uint64_t>;

template <typename Time>
constexpr distance<Time> distance_between(const Time& early, const Time& late) {
  if constexpr (std::is_same_v<Time, date>)
    return distance_between(early.days, late.days);
  else if constexpr (std::is_same_v<Time, timestamp>)
    return distance_between(early.micros, late.micros);
  else if constexpr (std::is_floating_point_v<Time>)
    return early == late ? 0 : static_cast<double>(late) - static_cast<double>(early);
  else
    return static_cast<std::uint64_t>(late) - static_cast<std::uint64_t>(early);
}

template <typename Within>
void check_distance(const char* name, const Within& within) {
  if constexpr (is_duration<Within>)
    check_distance(name, within.count());
  else if (!(within >= 0))
    throw usage_error(std::string(name) + ": expected a distance of times of 0 or more, got " +
                      std::to_string(within));
}

/// The greatest distance that isn't too far; `name` is the operator's, for messages.
template <typename Time>
constexpr distance<Time> farthest(const char*) {
  return std::is_floating_point_v<Time> ? std::numeric_limits<distance<Time>>::infinity()
                                        : (std::numeric_limits<distance<Time>>::max)();
}
template <typename Time, typename Within>
distance<Time> farthest(const char* name, const Within& within) {
  check_distance(name, within);
  if constexpr (!is_duration<Within>) {
    return static_cast<distance<Time>>(within);
  } else {
    using std::chrono::microseconds;
    using seconds = std::chrono::duration<double>;
    if (seconds(within) >= seconds((microseconds::max)())) return farthest<Time>(name);
    return static_cast<std::uint64_t>(std::chrono::floor<microseconds>(within).count());
  }
}

}  // namespace pappus::detail
