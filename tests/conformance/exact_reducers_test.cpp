// Reducers that say they are exact, or commutative, are: cuts of the rows, or their order, change
// no bit of the result.
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "conformance/harness.h"

namespace pappus::testing {
namespace {

template <typename T>
T random_value(random& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random.between(0, 20) == 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    const T some[] = {std::numeric_limits<T>::quiet_NaN(), T{-0.0}, T{0},
                      std::numeric_limits<T>::infinity(),  T{-1.5}, T{3}};
    return some[random.between(0, 5)];
  } else {
    const T some[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{3}, T{0}};
    return some[random.between(0, 3)];
  }
}

template <typename R, typename T>
R folded(const std::vector<T>& rows, std::size_t begin, std::size_t end) {
  R state;
  for (std::size_t i = begin; i < end; ++i) state.accumulate(rows[i]);
  return state;
}

/// Rows [begin, end) cut anywhere, and pieces merged in row order, as any tree has it.
template <typename R, typename T>
R cut(random& random, const std::vector<T>& rows, std::size_t begin, std::size_t end) {
  if (end - begin < 2 || random.between(0, 3) == 0) return folded<R>(rows, begin, end);
  const auto middle = static_cast<std::size_t>(
      random.between(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)));
  R state = cut<R>(random, rows, begin, middle);
  state.merge(cut<R>(random, rows, middle, end));
  return state;
}

template <typename R, typename T>
void expect_exact(const char* name) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(detail::is_exact<R>);
  random random(17);
  for (int round = 0; round < 200; ++round) {
    std::vector<T> rows(static_cast<std::size_t>(random.between(1, 60)));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = random_value<T>(random);
    const auto expected = folded<R>(rows, 0, rows.size()).finalize();
    const auto got = cut<R>(random, rows, 0, rows.size()).finalize();
    ASSERT_TRUE(same_bytes(got, expected)) << "round " << round;
    if constexpr (detail::is_commutative<R>) {
      for (std::size_t i = rows.size(); i > 1; --i)
        std::swap(
            rows[i - 1],
            rows[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
      const auto shuffled = cut<R>(random, rows, 0, rows.size()).finalize();
      ASSERT_TRUE(same_bytes(shuffled, expected)) << "in another order, round " << round;
    }
  }
}

template <typename T>
void expect_all_exact() {
  expect_exact<reducers::count, T>("count");
  expect_exact<reducers::min<T>, T>("min");
  expect_exact<reducers::max<T>, T>("max");
  expect_exact<reducers::first<T>, T>("first");
  expect_exact<reducers::last<T>, T>("last");
  if constexpr (std::is_integral_v<T>) {
    expect_exact<reducers::sum<T>, T>("sum");
    expect_exact<reducers::mean<T>, T>("mean");
    expect_exact<reducers::variance<T>, T>("variance");
  }
}

TEST(exact_reducers, give_the_same_bits_wherever_rows_are_cut) {
  expect_all_exact<std::int8_t>();
  expect_all_exact<std::int32_t>();
  expect_all_exact<std::uint32_t>();
  expect_all_exact<std::int64_t>();
  expect_all_exact<std::uint64_t>();
  expect_all_exact<float>();
  expect_all_exact<double>();
  expect_exact<reducers::any, bool>("any");
  expect_exact<reducers::all, bool>("all");
}

TEST(exact_reducers, are_no_sums_of_floats) {
  EXPECT_FALSE(detail::is_exact<reducers::sum<float>>);
  EXPECT_FALSE(detail::is_exact<reducers::mean<double>>);
  EXPECT_FALSE(detail::is_exact<reducers::variance<double>>);
}

}  // namespace
}  // namespace pappus::testing
