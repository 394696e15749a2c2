// Running sums of integers, a vector at a time.
#pragma once

#include "levels/unit/vectors.h"

namespace pappus::levels {
namespace {

// In step 1, 2, 4 ... each lane gets the sum of as many lanes more. Steps within 16 bytes shift
// them, which takes a cycle where lanes that cross them take three; later ones add the last lane of
// each even half to all lanes of the odd half behind it (Sklansky 1960). A lane that gets nothing
// takes lane 0 of the second operand, zeros.
template <typename T, int Step>
constexpr int lane_before(int lane) {
  constexpr int near = 16 / static_cast<int>(sizeof(T));
  if (Step < near) return lane % near >= Step ? lane - Step : lanes<T>;
  return (lane & Step) != 0 ? lane / Step * Step - 1 : lanes<T>;
}

template <int Step, typename T, int... Lane>
inline void add_earlier_lanes(vector<T>& v, std::integer_sequence<int, Lane...> all) {
  v += __builtin_shufflevector(v, vector<T>{}, lane_before<T, Step>(Lane)...);
  if constexpr (2 * Step < lanes<T>) add_earlier_lanes<2 * Step, T>(v, all);
}

template <typename T, int... Lane>
inline vector<T> last_lane(vector<T> v, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(v, v, (Lane | (lanes<T> - 1))...);
}

// Four vectors at a time, so that their latencies overlap. Returns how many numbers are done.
template <bool Streamed, typename T>
inline std::int64_t sum_vectors(T& before, const T* from, T* to, std::int64_t n) {
  constexpr auto all = std::make_integer_sequence<int, lanes<T>>();
  constexpr int step = 4 * lanes<T>;
  vector<T> carry = vector<T>{} + before;
  std::int64_t i = 0;
  for (; i + step <= n; i += step) {
    vector<T> v[4], last[4];
    for (int k = 0; k < 4; ++k) {
      v[k] = load_vector(from + i + k * lanes<T>);
      add_earlier_lanes<1, T>(v[k], all);
      last[k] = last_lane<T>(v[k], all);
    }
    for (int k = 0; k < 4; ++k) {
      const vector<T> sums = v[k] + carry;
      carry += last[k];
      T* const place = to + i + k * lanes<T>;
      if constexpr (Streamed)
        stream_vector(reinterpret_cast<std::byte*>(place),
                      reinterpret_cast<const std::byte*>(&sums));
      else
        store_vector(place, sums);
    }
  }
  before = carry[0];
  return i;
}

template <typename T>
inline T sum_one_by_one(T before, const T* from, T* to, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = before += from[i];
  return before;
}

template <typename T>
T running_sums(T before, const T* from, T* to, std::int64_t n, bool past_caches) noexcept {
  std::int64_t done = 0;
  if (past_caches) {  // whole lines: from 64 bytes on
    const auto beyond = reinterpret_cast<std::uintptr_t>(to) % 64;
    const auto head = static_cast<std::int64_t>((64 - beyond) % 64 / sizeof(T));
    done = head < n ? head : n;
    before = sum_one_by_one(before, from, to, done);
    done += sum_vectors<true>(before, from + done, to + done, n - done);
    stream_fence();
  } else {
    done = sum_vectors<false>(before, from, to, n);
  }
  return sum_one_by_one(before, from + done, to + done, n - done);
}

}  // namespace
}  // namespace pappus::levels
