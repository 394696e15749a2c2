// Arrays that launches are compared over: whole, or parts of wider ones, of elements of several
// sizes.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/harness.h"

namespace pappus::testing {

/// Twelve bytes, and a reducer of such.
struct twelve_bytes {
  std::uint32_t a, b, c;
  void accumulate(const twelve_bytes& x) {
    a += x.a;
    b += x.b;
    c += x.c;
  }
  void merge(const twelve_bytes& x) { accumulate(x); }
};

template <typename T>
T element(std::int64_t i) {
  if constexpr (std::same_as<T, twelve_bytes>)
    return {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(7 * i), 1};
  else if constexpr (std::floating_point<T>)
    return static_cast<T>(i) / 3;
  else
    return static_cast<T>(i);
}

/// Tells in which order it was applied to which elements.
template <typename T>
T mixed(const T& x, const T& y) {
  if constexpr (std::same_as<T, twelve_bytes>)
    return {3 * x.a + y.b, x.b ^ y.c, x.c + 5 * y.a};
  else if constexpr (std::floating_point<T>)
    return x * T{0.75} + y * T{0.5};
  else
    return static_cast<T>(3 * x + y);
}

template <typename T>
std::vector<T> values_of(std::int64_t n) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(n));
  for (std::uint32_t i = 0; i < static_cast<std::uint64_t>(n); ++i)
    values.push_back(element<T>((i * 2654435761u >> 12) % 1000 + 1));
  return values;
}

template <std::size_t N>
std::int64_t volume(const idx<N>& extents) {
  std::int64_t all = 1;
  for (std::size_t d = 0; d < N; ++d) all *= extents[d];
  return all;
}

/// Calls f(place, its number in row-major order).
template <std::size_t N, typename F>
void each_place(const idx<N>& extents, F f) {
  const auto all = volume(extents);
  idx<N> at;
  for (std::int64_t i = 0; i < all; ++i) {
    f(at, i);
    for (auto d = N; d-- > 0 && ++at[d] == extents[d];) at[d] = 0;
  }
}

/// Elements of a vector, as a view hands them out.
template <typename T, std::size_t N>
struct row_major {
  std::span<const T> elements;
  idx<N> extents;
  const T& operator[](const idx<N>& at) const {
    std::int64_t i = 0;
    for (std::size_t d = 0; d < N; ++d) i = i * extents[d] + at[d];
    return elements[static_cast<std::size_t>(i)];
  }
};

enum class lies { whole, within, wide };

template <std::size_t N>
box<N> around(const idx<N>& extents, std::int64_t from) {
  box<N> result;
  for (std::size_t d = 0; d < N; ++d) result.high[d] = (result.low[d] = from) + extents[d];
  return result;
}

/// An array, or a part of one, and all of that.
template <typename T, std::size_t N>
struct placed {
  array<T, N> part, all;
  lies where;
  T others;  ///< elements outside of the part, unless that is part of a wide one

  placed(session& s, lies in, const idx<N>& extents, std::span<const T> values)
      : where(in), others(element<T>(77)) {
    if (where == lies::whole) {
      part = all = s.to_array<N>(values, extents);
      return;
    }
    auto more = extents;
    for (std::size_t d = 0; d < N; ++d) more[d] += 3;
    if (where == lies::within) {
      all = s.filled<T, N>(more, others);
    } else {
      more[N - 1] = 1;
      more[N - 1] = std::max(std::int64_t{1 << 20} / volume(more), extents[N - 1] + 5);
      all = s.unwritten<T, N>(more);
    }
    part = all[around(extents, 2)];
    const auto to = part.host_write();
    each_place(extents,
               [&](const auto& at, auto i) { to[at] = values[static_cast<std::size_t>(i)]; });
  }

  /// All elements are as told, and those beside the part what they were.
  void expect(std::span<const T> values) const {
    const auto got = part.host();
    std::int64_t wrong = 0;
    each_place(part.extents(), [&](const auto& at, auto i) {
      if (!same_bytes(got[at], values[static_cast<std::size_t>(i)]) && wrong++ == 0)
        ADD_FAILURE() << "element " << i << " of " << values.size() << " differs";
    });
    if (where != lies::within) return;
    const auto whole = all.host();
    each_place(all.extents(), [&](const auto& at, auto i) {
      bool inside = true;
      for (std::size_t d = 0; d < N; ++d)
        inside = inside && at[d] >= 2 && at[d] < 2 + part.extent(d);
      if (!inside && !same_bytes(whole[at], others) && wrong++ == 0)
        ADD_FAILURE() << "element " << i << " of the whole array isn't of the launch, but differs";
    });
  }
};

}  // namespace pappus::testing
