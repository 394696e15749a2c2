// What programs of random_lambdas.py compute with: arithmetic that is defined for all operands, and
// that shows nothing of a NaN but that it is one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

enum class shade : std::uint8_t { dark, light, bright = 200 };

template <typename A, typename B>
struct cell {
  A a;
  B b;
};

template <typename T>
using bits_of = std::make_unsigned_t<T>;

// Of narrow types the operands are promoted to int, of which products could overflow.
template <typename T>
using wide_bits_of = std::common_type_t<bits_of<T>, unsigned>;

template <typename T>
T sum(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) + wide_bits_of<T>(b));
}
template <typename T>
T difference(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) - wide_bits_of<T>(b));
}
template <typename T>
T product(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) * wide_bits_of<T>(b));
}
template <typename T>
T both_bits(T a, T b) {
  return static_cast<T>(a & b);
}
template <typename T>
T any_bits(T a, T b) {
  return static_cast<T>(a | b);
}
template <typename T>
T other_bits(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <typename T>
bool divides(T a, T b) {
  if (b == 0) return false;
  return !std::is_signed_v<T> || b != static_cast<T>(-1) || a != std::numeric_limits<T>::min();
}
template <typename T>
T quotient(T a, T b) {
  return divides(a, b) ? static_cast<T>(a / b) : a;
}
template <typename T>
T remainder_of(T a, T b) {
  return divides(a, b) ? static_cast<T>(a % b) : b;
}
template <typename T>
T shifted_left(T a, T b) {
  return static_cast<T>(wide_bits_of<T>(a) << (bits_of<T>(b) % (8 * sizeof(T))));
}
template <typename T>
T shifted_right(T a, T b) {
  return static_cast<T>(a >> (bits_of<T>(b) % (8 * sizeof(T))));
}

// Overflow that is looked at, and the nearest number in its place.
template <typename T>
T checked_sum(T a, T b) {
  T c;
  return __builtin_add_overflow(a, b, &c) ? b : c;
}
template <typename T>
T checked_difference(T a, T b) {
  T c;
  return __builtin_sub_overflow(a, b, &c) ? b : c;
}
template <typename T>
T checked_product(T a, T b) {
  T c;
  return __builtin_mul_overflow(a, b, &c) ? b : c;
}
template <typename T>
T limit_of(bool low) {
  return low ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
}
template <typename T>
T saturated_sum(T a, T b) {
  T c;
  return __builtin_add_overflow(a, b, &c) ? limit_of<T>(b < 0) : c;
}
template <typename T>
T saturated_difference(T a, T b) {
  T c;
  return __builtin_sub_overflow(a, b, &c) ? limit_of<T>(std::is_unsigned_v<T> || b > 0) : c;
}
template <typename T>
T saturated_product(T a, T b) {
  T c;
  return __builtin_mul_overflow(a, b, &c) ? limit_of<T>((a < 0) != (b < 0)) : c;
}

template <typename T>
T magnitude(T a, T) {
  return a < 0 ? difference<T>(0, a) : a;
}
template <typename T>
T byte_swapped(T a, T b) {
  auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(a);
  std::reverse(bytes.begin(), bytes.end());
  return other_bits<T>(std::bit_cast<T>(bytes), b);
}
template <typename T>
T common_divisor(T a, T b) {
  return static_cast<T>(std::gcd(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)));
}
template <typename T>
T upper_half(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    const std::uint64_t x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    const auto low = [](std::uint64_t z) { return z & 0xffffffff; };
    const std::uint64_t middle = (x >> 32) * low(y) + (low(x) * low(y) >> 32);
    return static_cast<T>((x >> 32) * (y >> 32) + (middle >> 32) +
                          ((low(middle) + low(x) * (y >> 32)) >> 32));
  } else {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>((static_cast<wide>(a) * static_cast<wide>(b)) >> (8 * sizeof(T)));
  }
}
template <typename T>
T clamped(T a, T b, T c) {
  return c < b ? std::clamp(a, c, b) : b < c ? std::clamp(a, b, c) : b;
}

template <typename T, std::floating_point F>
T to_integer(F x) {
  // From the greatest power of two that isn't in T on, and below the least T.
  const F end = std::ldexp(F(1), std::numeric_limits<T>::digits);
  if (!(x < end) || !(x > (std::is_signed_v<T> ? -end : F(-1)))) return 0;
  return static_cast<T>(x);
}
template <typename T, typename X>
T converted(X x) {
  if constexpr (std::is_floating_point_v<X>)
    return to_integer<T>(x);
  else
    return static_cast<T>(x);
}
template <typename T>
T place(std::ptrdiff_t at) {
  return static_cast<T>(at);
}

template <std::floating_point F>
bool is_negative(F x) {
  return x == x && std::signbit(x);
}
template <std::floating_point F>
F with_sign(F x, F y) {
  return y == y ? std::copysign(x, y) : x;
}
template <std::floating_point F>
F scaled(F x, std::int8_t by) {
  return std::ldexp(x, by);
}
inline std::uint32_t bits_of_number(float x) {
  return x == x ? std::bit_cast<std::uint32_t>(x) : 1;
}
inline std::uint64_t bits_of_number(double x) {
  return x == x ? std::bit_cast<std::uint64_t>(x) : 1;
}
template <std::floating_point F, typename Bits>
F from_bits(Bits bits) {
  return std::bit_cast<F>(bits);
}
template <std::floating_point F>
F fused_in_steps(F a, F b, F c) {
  return a * b + c;
}
template <std::floating_point F>
F norm_of(F a, F b) {
  return std::norm(std::complex<F>(a, b));
}
template <std::floating_point F>
F real_of_square(F a, F b) {
  const std::complex<F> z(a, b);
  return (z * z).real();
}

// Functions whose last digits may differ get numbers at which they are well-conditioned.
inline double tame(double x) { return x == x ? std::clamp(x, -30.0, 30.0) : 0.25; }
template <std::floating_point F>
F log_of(F x) {
  return std::log(std::fabs(x) + F(0.001));
}
template <std::floating_point F>
F log1p_of(F x) {
  return std::log1p(std::fabs(x));
}
template <std::floating_point F>
F pow_of(F x, F y) {
  return std::pow(std::fabs(x) + F(0.001), y / 2);
}
template <std::floating_point F>
F quotient_of(F x, F y) {
  return (std::complex<F>(x, y) / std::complex<F>(y, F(40))).imag();
}

template <typename T, std::size_t N>
void sort_few(std::array<T, N>& values) {
  for (std::size_t i = 1; i < N; ++i)
    for (std::size_t j = i; j > 0 && values[j] < values[j - 1]; --j)
      std::swap(values[j], values[j - 1]);
}
template <typename T>
T total(std::span<const T> values) {
  T all = 0;
  for (const T x : values)
    if constexpr (std::is_integral_v<T>)
      all = sum(all, x);
    else
      all += x;
  return all;
}
/// Below N, which no compiler sees.
template <std::size_t N>
std::size_t any_below(std::uint8_t x) {
  static constexpr std::uint8_t places[] = {0, 3, 1, 2, 0, 2, 3, 1};
  return places[x & 7] % N;
}
template <typename T, typename... Ts>
std::optional<T> or_none(const std::variant<Ts...>& v) {
  const T* const found = std::get_if<T>(&v);
  return found != nullptr ? std::optional<T>(*found) : std::nullopt;
}
