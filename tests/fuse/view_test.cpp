#include "pappus/view.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <type_traits>
#include <vector>

#include "pappus/detail/fuse/footprint_thunk.h"

namespace pappus {
namespace {

template <std::size_t N>
using shape = detail::view_shape<N>;

std::vector<int> ascending(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(index, is_an_integer_in_one_dimension) {
  const idx<1> i = 5;
  EXPECT_EQ(i - 1, 4);
  EXPECT_EQ(i % 3, 2);
  EXPECT_TRUE(i > 0 && i == 5 && i + 1 < 7);
  static_assert(std::is_same_v<decltype(i + 1), std::int64_t>);
}

TEST(index, counts_in_each_dimension) {
  const idx<2> p(7, -5), low(1, 2);
  EXPECT_TRUE((p - low) / 3 == idx<2>(2, -2));
  EXPECT_TRUE(p + low == idx<2>(8, -3));
  EXPECT_TRUE(low * 4 == idx<2>(4, 8));
  EXPECT_TRUE(idx<3>() == idx<3>(0, 0, 0));
  EXPECT_FALSE(p == low);
}

TEST(view, takes_one_integer_for_each_dimension) {
  const auto values = ascending(24);
  const reads<int, 3> in(values.data(), {{2, 3, 4}, {12, 4, 1}});
  EXPECT_EQ(in(1, 2, 3), 23);
  EXPECT_EQ((in[{0, 2, 1}]), 9);
  EXPECT_EQ(in(idx<1>(1), 0u, 2l), 14);
  EXPECT_EQ(in.extent(0), 2);
  EXPECT_EQ(in.extent(2), 4);
}

TEST(view, follows_strides) {
  auto values = ascending(12);
  const updates<int, 2> columns(values.data() + 1, {{3, 2}, {1, 4}});  // of a 3 x 4 array
  EXPECT_EQ(columns(0, 0), 1);
  EXPECT_EQ(columns(1, 1), 6);
  const writes<int> backwards(values.data() + 11, {{12}, {-1}});
  backwards[0] = 100;
  backwards[idx<1>(11)] = 200;
  EXPECT_EQ(values[11], 100);
  EXPECT_EQ(values[0], 200);
}

TEST(view, of_negative_indices_is_a_halo) {
  auto values = ascending(5);
  const writes<int> middle(values.data() + 1, {{3}, {1}});
  EXPECT_EQ(middle[-1], 0);
  EXPECT_EQ(middle[3], 4);
}

TEST(view, reads_without_writing) {
  static_assert(std::is_same_v<decltype(std::declval<reads<int>>()[0]), const int&>);
  static_assert(std::is_same_v<decltype(std::declval<writes<int>>()[0]), int&>);
  static_assert(std::is_trivially_copyable_v<reads<int, 2>>);
}

TEST(view, is_handed_to_functions_by_their_thunk) {
  const auto values = ascending(6);
  std::array<int, 6> result{};
  int offset = 10;
  const auto transpose = [offset](idx<2> p, reads<int, 2> in, writes<int, 2> out) {
    out(p[1], p[0]) = in[p] + offset;
  };
  using thunk = detail::footprint_thunk<decltype(transpose), std::make_index_sequence<2>,
                                        reads<int, 2>, writes<int, 2>>;
  const shape<2> of_in{{2, 3}, {3, 1}}, of_out{{3, 2}, {2, 1}};
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 3; ++j)
      thunk::run(&transpose, values.data(), result.data(), &of_in, &of_out, i, j);
  EXPECT_EQ(result, (std::array{10, 13, 11, 14, 12, 15}));
}

}  // namespace
}  // namespace pappus
