// Some records at random, all in a random order, and all backwards:
//
//     flights.sample(1000, 7).show();            // 1,000 of them, in their order
//     flights.sample(0.01, 7).mean(&flight::delay);
//
// What is drawn is a function of a record's number and of the seed: the same on any machine, by any
// number of threads. All of them are made of other operators.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/fuse/statistics.h"
#include "pappus/query.h"
#include "pappus/sort.h"

namespace pappus::detail {

/// A number of a record's own, all different. Seeds that are alike give numbers that aren't.
struct drawn_number {
  std::uint64_t seed;
  template <typename T>
  std::uint64_t operator()(const indexed<T>& record) const {
    return mix(mix(static_cast<std::uint64_t>(record.index)) ^ mix(~seed));
  }
};
struct is_drawn {
  double part;
  drawn_number number;
  template <typename T>
  bool operator()(const indexed<T>& record) const {
    return static_cast<double>(number(record) >> 11) * 0x1p-53 < part;
  }
};

/// Throws usage_error unless it is from 0 to 1.
void check_sample(double part);

template <typename Of, typename T>
template <typename N>
auto sampling_members<Of, T>::sample(N n, std::uint64_t seed) const {
  const auto numbered = static_cast<const Of&>(*this).enumerate();
  if constexpr (std::integral<N>) {
    return numbered.bottom(static_cast<std::int64_t>(n), drawn_number{seed})
        .sort_by(&indexed<T>::index)
        .map(&indexed<T>::value);
  } else {
    check_sample(static_cast<double>(n));
    return numbered.filter(is_drawn{static_cast<double>(n), {seed}}).map(&indexed<T>::value);
  }
}
template <typename Of, typename T>
auto sampling_members<Of, T>::shuffle(std::uint64_t seed) const {
  return static_cast<const Of&>(*this)
      .enumerate()
      .sort_by(drawn_number{seed})
      .map(&indexed<T>::value);
}
template <typename Of, typename T>
auto sampling_members<Of, T>::reverse() const {
  return static_cast<const Of&>(*this)
      .enumerate()
      .sort_by(descending(&indexed<T>::index))
      .map(&indexed<T>::value);
}

}  // namespace pappus::detail
