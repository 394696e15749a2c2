// What functions use of the standard library beyond what headers define whole, and forms of
// functions that the compiler plugin rewrites: on OpenCL as on the CPU, and there indeed.
#include <array>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/on_opencl.h"
#include "pappus/pappus.h"
#include "support/few_rows.h"

namespace pappus {
namespace {

using compiled_library = testing::on_opencl;

template <typename T>
bool close(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b) || a == 0 || b == 0)
    return a == b && std::signbit(a) == std::signbit(b);
  return std::abs(a - b) <= 8 * std::numeric_limits<T>::epsilon() * std::abs(b);
}

/// All pairs of numbers that are special somewhere, and some that aren't.
template <typename T>
std::vector<std::complex<T>> numbers() {
  constexpr T inf = std::numeric_limits<T>::infinity(), most = std::numeric_limits<T>::max(),
              least = std::numeric_limits<T>::min(), tiny = std::numeric_limits<T>::denorm_min();
  const std::array<T, 17> parts{
      0,      T{-0.0}, 1,    T{-1}, T{0.3}, T{-2.7}, 50,    -50,
      inf,    -inf,    most, -most, least,  tiny,    -tiny, std::numeric_limits<T>::quiet_NaN(),
      T{1e-3}};
  std::vector<std::complex<T>> all;
  for (const T a : parts)
    for (const T b : parts) all.emplace_back(a, b);
  return all;
}

template <typename T>
struct parts_of_functions {
  std::complex<T> root, exponential;
  T size, angle;
};

/// NaNs have no sign that counts, and what glibc yields in their company may be an infinity.
template <typename T>
bool same_functions(const parts_of_functions<T>& a, const parts_of_functions<T>& b) {
  return close(a.root.real(), b.root.real()) && close(a.root.imag(), b.root.imag()) &&
         close(a.exponential.real(), b.exponential.real()) &&
         close(a.exponential.imag(), b.exponential.imag()) && close(a.size, b.size) &&
         close(a.angle, b.angle);
}

template <typename T>
parts_of_functions<T> functions_of(const std::complex<T>& z) {
  return {std::sqrt(z), std::exp(z), std::abs(z), std::arg(z)};
}

TEST_F(compiled_library, functions_of_complex_numbers) {
  const auto doubles = numbers<double>();
  expect_same(
      [&](session& s) {
        return s.borrow(doubles).map([](const std::complex<double>& z) { return functions_of(z); });
      },
      same_functions<double>);
  const auto floats = numbers<float>();
  expect_same(
      [&](session& s) {
        return s.borrow(floats).map([](const std::complex<float>& z) { return functions_of(z); });
      },
      same_functions<float>);
}

TEST_F(compiled_library, kinds_of_characters) {
  expect_same([](session& s) {
    return s.range(-1, 256).map([](int c) {
      int kinds = 0;
      for (const bool is : {std::isalnum(c) != 0, std::isalpha(c) != 0, std::isblank(c) != 0,
                            std::iscntrl(c) != 0, std::isdigit(c) != 0, std::isgraph(c) != 0,
                            std::islower(c) != 0, std::isprint(c) != 0, std::ispunct(c) != 0,
                            std::isspace(c) != 0, std::isupper(c) != 0, std::isxdigit(c) != 0})
        kinds = 2 * kinds + (is ? 1 : 0);
      return std::array<int, 3>{kinds, std::tolower(c), std::toupper(c)};
    });
  });
}

TEST_F(compiled_library, captured_pointers_that_may_be_null) {
  struct offset {
    int by;
  };
  const offset some{5};
  for (const offset* chosen : {&some, static_cast<const offset*>(nullptr)})
    expect_same([chosen](session& s) {
      return s.range(0, 100).map(
          [chosen](int x) { return chosen != nullptr ? x + chosen->by : -x; });
    });
}

TEST_F(compiled_library, spans_of_a_fixed_extent) {
  const std::array<double, 6> weights{1, 2, 3, 5, 8, 13};
  const std::span<const double, 6> all(weights);
  expect_same([all](session& s) {
    return s.range(0, 100).map([all](int x) {
      double sum = 0;
      for (const double w : all) sum += w;
      return sum * all[static_cast<std::size_t>(x % 6)];
    });
  });
}

/// Of 64 bits: splitmix64 (Steele, Lea, Flood 2014).
struct generator_of_64_bits {
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    result_type x = state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  result_type state;
};

template <typename Generator = std::minstd_rand, typename Distribution>
void expect_same_numbers(auto expect, Distribution distribution) {
  expect([distribution](session& s) {
    return s.range(std::uint32_t{1}, std::uint32_t{300}).map([distribution](std::uint32_t seed) {
      Generator generator{seed};
      auto own = distribution;
      const auto first = own(generator);
      return std::array{first, own(generator)};
    });
  });
}

TEST_F(compiled_library, distributions_of_random_numbers) {
  const auto exactly = [](auto make) { expect_same(make); };
  expect_same_numbers(exactly, std::uniform_int_distribution<int>(-3, 40));
  expect_same_numbers<generator_of_64_bits>(exactly, std::uniform_int_distribution<int>(-3, 40));
  expect_same_numbers<generator_of_64_bits>(
      exactly, std::uniform_int_distribution<std::int64_t>(-(1ll << 62), 1ll << 62));
  expect_same_numbers(exactly, std::uniform_real_distribution<double>(-1, 3));
  expect_same_numbers(exactly, std::uniform_real_distribution<float>(0, 1));
  const auto nearly = [](auto make) {
    expect_same(make, [](const auto& a, const auto& b) {
      return std::abs(a[0] - b[0]) < 1e-12 && std::abs(a[1] - b[1]) < 1e-12;
    });
  };
  expect_same_numbers(nearly, std::normal_distribution<double>(10, 2));
}

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;

/// Of numbers made of four words, all operations that have no division, and shifts by constants.
std::array<std::uint64_t, 4> results_of_wide_integers(const std::array<std::uint64_t, 4>& words) {
  const auto a = static_cast<unsigned_wide>(words[0]) << 64 | words[1];
  const auto b = static_cast<unsigned_wide>(words[2]) << 64 | words[3];
  const auto signed_a = static_cast<wide>(a), signed_b = static_cast<wide>(b);
  unsigned_wide all = a + b;
  const auto take = [&](unsigned_wide x) { all = (all ^ x) * 0x9E3779B97F4A7C15u + (all >> 61); };
  take(a - b);
  take(a * b);
  take(static_cast<unsigned_wide>(words[0]) * words[2]);
  take(static_cast<unsigned_wide>(static_cast<wide>(static_cast<std::int64_t>(words[1])) *
                                  static_cast<std::int64_t>(words[3])));
  take(a << 1 ^ b << 63 ^ a << 64 ^ b << 65 ^ a << 127);
  take(a >> 1 ^ b >> 63 ^ a >> 64 ^ b >> 65 ^ a >> 127);
  take(static_cast<unsigned_wide>(signed_a >> 3 ^ signed_b >> 64 ^ signed_a >> 100));
  take((a & b) | ~(a ^ b));
  take(a < b ? a : b);
  take(signed_a <= signed_b ? b : ~a);
  take(static_cast<unsigned_wide>((a == b) + 2 * (a > b) + 4 * (signed_a > signed_b) +
                                  8 * (a != b) + 16 * (signed_a < 0)));
  for (std::uint64_t i = 0; i < words[1] % 5; ++i) take(all + i);
  return {static_cast<std::uint64_t>(all), static_cast<std::uint64_t>(all >> 64),
          static_cast<std::uint64_t>(all >> 17), static_cast<std::uint64_t>(all % 2)};
}

TEST_F(compiled_library, integers_of_128_bits) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const std::array<std::uint64_t, 8> special{
      0, 1, 2, most, most - 1, most / 2, most / 2 + 1, 1ull << 32};
  std::vector<std::array<std::uint64_t, 4>> numbers;
  for (const auto a : special)
    for (const auto b : special)
      for (const auto c : special)
        for (const auto d : special) numbers.push_back({a, b, c, d});
  // An interpreter of kernels takes seconds for all of these. One of 13 has every two special
  // numbers in any two places, and all that are equal, which are 65 apart.
  if (testing::few_rows()) {
    std::size_t i = 0;
    std::erase_if(numbers, [&](const auto&) { return i++ % 13 != 0; });
  }
  generator_of_64_bits next{7};
  for (int i = 0; i < testing::up_to(4000, 300); ++i)
    numbers.push_back({next(), next(), next(), next()});
  expect_same([&](session& s) {
    return s.borrow(numbers).map([](const auto& words) { return results_of_wide_integers(words); });
  });
}

std::int64_t product_to(std::int64_t n, std::int64_t so_far) {
  return n <= 1 ? so_far : product_to(n - 1, so_far * n);
}
std::int64_t factorial(std::int64_t n) { return n <= 1 ? 1 : n * factorial(n - 1); }

TEST_F(compiled_library, functions_that_end_with_a_call_of_themselves) {
  expect_same([](session& s) {
    return s.range(std::int64_t{0}, 100).map([](std::int64_t x) {
      return product_to(x % 15, 1) + factorial(x % 17);
    });
  });
}

}  // namespace
}  // namespace pappus
