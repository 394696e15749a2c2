// Exact sums and their quotients, against long division in binary.
#include "pappus/detail/base/exact.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace pappus::detail {
namespace {

/// Naturals of 640 bits, as slow and as plain as can be.
class natural {
 public:
  natural(std::uint64_t x = 0) {  // NOLINT: numbers become naturals
    digits_[0] = static_cast<std::uint32_t>(x);
    digits_[1] = static_cast<std::uint32_t>(x >> 32);
  }
  friend natural operator+(natural a, const natural& b) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      carry += std::uint64_t{a.digits_[i]} + b.digits_[i];
      a.digits_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return a;
  }
  friend natural operator-(natural a, const natural& b) {
    std::int64_t carry = 0;
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      carry += std::int64_t{a.digits_[i]} - std::int64_t{b.digits_[i]};
      a.digits_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return a;
  }
  friend natural operator*(const natural& a, const natural& b) {
    natural product;
    for (std::size_t i = 0; i < a.digits_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < a.digits_.size(); ++j) {
        carry += std::uint64_t{a.digits_[i]} * b.digits_[j] + product.digits_[i + j];
        product.digits_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    return product;
  }
  friend bool operator<(const natural& a, const natural& b) {
    for (std::size_t i = a.digits_.size(); i-- > 0;)
      if (a.digits_[i] != b.digits_[i]) return a.digits_[i] < b.digits_[i];
    return false;
  }
  friend bool operator==(const natural&, const natural&) = default;

 private:
  std::array<std::uint32_t, 20> digits_{};
};

/// a / b rounded to the nearest double, to even of two: 53 bits one by one.
double nearest_double(natural a, natural b) {
  if (a == natural{}) return 0;
  int exponent = 0;
  for (; a < b; --exponent) a = a + a;
  for (; !(a < b + b); ++exponent) b = b + b;
  std::uint64_t bits = 0;
  for (int i = 0; i < 53; ++i) {
    bits *= 2;
    if (!(a < b)) {
      bits += 1;
      a = a - b;
    }
    a = a + a;
  }
  // What is left is a / 2 of a unit's b.
  if (b < a || (a == b && bits % 2 == 1)) ++bits;
  return std::ldexp(static_cast<double>(bits), exponent - 52);
}

/// Of numbers of type T.
template <typename T>
struct totals {
  exact_sum_of<T> sum;
  exact_squares squares;
  natural positive, negative, of_squares;
  std::int64_t n = 0;

  void add(T x) {
    sum.add(x);
    squares.add_square_of(x);
    const auto word = static_cast<std::uint64_t>(x);
    const natural size = is_negative(x) ? 0 - word : word;
    auto& side = is_negative(x) ? negative : positive;
    side = side + size;
    of_squares = of_squares + size * size;
    ++n;
  }
  void merge(const totals& other) {
    sum.add(other.sum);
    squares.add(other.squares);
    positive = positive + other.positive;
    negative = negative + other.negative;
    of_squares = of_squares + other.of_squares;
    n += other.n;
  }
  natural size() const { return positive < negative ? negative - positive : positive - negative; }
  double mean() const {
    const double mean = nearest_double(size(), static_cast<std::uint64_t>(n));
    return positive < negative ? -mean : mean;
  }
  double variance() const {
    const natural count = static_cast<std::uint64_t>(n);
    return nearest_double(count * of_squares - size() * size(), count * count);
  }
};

/// Numbers of few and of many bits, and the greatest and least there are.
template <typename T>
T any_number(std::mt19937_64& random) {
  const auto kind = random() % 8;
  if (kind == 0) return std::numeric_limits<T>::max();
  if (kind == 1) return std::numeric_limits<T>::min();
  return static_cast<T>(random() >> random() % 64);
}

template <typename T>
class exact_sums : public ::testing::Test {};
using integers = ::testing::Types<bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                  std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(exact_sums, integers);

TYPED_TEST(exact_sums, have_the_nearest_doubles_as_means_and_variances) {
  SCOPED_TRACE("seed 1");
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    totals<TypeParam> all;
    for (auto n = random() % 100 + 1; n > 0; --n) all.add(any_number<TypeParam>(random));
    ASSERT_EQ(mean_of(all.sum, all.n), all.mean()) << round;
    ASSERT_EQ(variance_of(all.sum, all.squares, all.n), all.variance()) << round;
  }
}

TYPED_TEST(exact_sums, are_the_same_in_blocks_and_merged) {
  SCOPED_TRACE("seed 2");
  std::mt19937_64 random(2);
  totals<TypeParam> all;
  exact_sum_of<TypeParam> sum;
  exact_squares squares;
  for (int round = 0; round < 200; ++round) {
    block_sum<TypeParam> block;
    block_squares<TypeParam> of_squares;
    totals<TypeParam> merged;
    const auto n = static_cast<std::int64_t>(random() % 50);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto x = any_number<TypeParam>(random);
      all.add(x);
      merged.add(x);
      block.add(x);
      of_squares.add_square_of(x);
    }
    if (round % 2 == 0) {
      block.add_to(sum, n);
      of_squares.add_to(squares);
    } else {
      sum.add(merged.sum);
      squares.add(merged.squares);
    }
    ASSERT_EQ(sum.low, all.sum.low) << round;
    ASSERT_EQ(sum.high, all.sum.high) << round;
    for (int word = 0; word < 3; ++word)
      ASSERT_EQ(squares.words[word], all.squares.words[word]) << round;
  }
}

/// As many equal numbers as 2^doublings, by merging.
template <typename T>
totals<T> many_of(T x, int doublings) {
  totals<T> all;
  all.add(x);
  for (; doublings > 0; --doublings) all.merge(totals<T>(all));
  return all;
}

template <typename T>
void expect_last_place(T a, T b, int doublings) {
  auto all = many_of(a, doublings);
  all.merge(many_of(b, doublings));
  EXPECT_EQ(mean_of(all.sum, all.n), all.mean());
  const double variance = all.variance();
  EXPECT_LE(std::abs(variance_of(all.sum, all.squares, all.n) - variance),
            std::nextafter(variance, INFINITY) - variance);
}

TEST(exact_sums_of_many, hold_more_records_than_any_machine) {
  for (const int doublings : {0, 1, 31, 32, 33, 50, 61}) {
    SCOPED_TRACE(doublings);
    expect_last_place<std::int64_t>(INT64_MIN, INT64_MIN, doublings);
    expect_last_place<std::int64_t>(INT64_MIN, INT64_MAX, doublings);
    expect_last_place<std::int64_t>(1'700'000'000'000'000, 1'700'000'000'000'001, doublings);
    expect_last_place<std::uint64_t>(UINT64_MAX, UINT64_MAX - 1, doublings);
    expect_last_place<std::uint64_t>(UINT64_MAX, 0, doublings);
    expect_last_place<std::int8_t>(-1, 0, doublings);
    expect_last_place<std::int32_t>(INT32_MIN, INT32_MIN, doublings);
    expect_last_place<std::int32_t>(INT32_MAX, 1 - INT32_MAX, doublings);
    expect_last_place<std::uint32_t>(UINT32_MAX, UINT32_MAX - 1, doublings);
  }
}

TEST(exact_sums_of_narrow, go_beyond_64_bits_in_both_directions) {
  for (const std::int32_t sign : {1, -1}) {
    exact_sum_of_narrow sum{sign * (INT64_MAX - 4), 0};
    exact_sum expected;
    expected.add(sum.low);
    for (int i = 0; i < 20; ++i) {  // there, and back
      const std::int32_t x = i < 10 ? sign : -sign;
      sum.add(x);
      expected.add(x);
      ASSERT_EQ(sum.wide().low, expected.low) << i;
      ASSERT_EQ(sum.wide().high, expected.high) << i;
    }
    EXPECT_EQ(sum.high, 0);
  }
}

TEST(exact_sums_of_many, blocks_have_room_for_two_billion_of_the_greatest) {
  const std::int64_t n = (std::int64_t{1} << 31) - 1;
  block_sum<std::int64_t> least;
  least.total = static_cast<std::uint64_t>(0);  // every INT64_MIN plus 2^63
  exact_sum sum;
  least.add_to(sum, n);
  EXPECT_EQ(mean_of(sum, n), -0x1p63);
  block_sum<std::uint64_t> most;
  most.total = 0 - static_cast<std::uint64_t>(n);  // modulo 2^64
  most.upper = static_cast<std::uint64_t>(n) * 0xFFFFFFFF;
  sum = {};
  most.add_to(sum, n);
  EXPECT_EQ(sum.low, 0 - static_cast<std::uint64_t>(n));
  EXPECT_EQ(sum.high, n - 1);
}

}  // namespace
}  // namespace pappus::detail
