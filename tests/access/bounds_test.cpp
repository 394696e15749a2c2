// Elements that an array doesn't have.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "access/told.h"

namespace pappus {
namespace {

using testing::told;

TEST(access_bounds, are_told_with_launch_view_array_element_and_index) {
  session s({.threads = 1});
  const auto in = s.filled<float>({10}, 1), out = s.zeros<float>({10});
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each({10},
                              annotated([](idx<1> i, reads<float> in,
                                           writes<float> out) { out[i] = in[i] + in[i + 1]; },
                                        "in, out: global i => read in[i:i+1], write out[i]"),
                              in, out);
                 }),
            "for_each at bounds_test.cpp:N: in (view 1): expected an element of array<float> of "
            "10, which has [0:9], got [10] at index [9]; guard the border, or launch it over other "
            "indices");
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each({10},
                              annotated([](idx<1> i, reads<float> in,
                                           writes<float> out) { out[i] = in[i - 1]; },
                                        "in, out: global i => read in[i-1], write out[i]"),
                              in, out);
                 }),
            "for_each at bounds_test.cpp:N: in (view 1): expected an element of array<float> of "
            "10, which has [0:9], got [-1] at index [0]; guard the border, or launch it over other "
            "indices");
}

TEST(access_bounds, hold_where_nothing_is_known_of_a_launch) {
  session s({.threads = 1});
  const auto a = s.zeros<int>({4});
  EXPECT_EQ(told(s, [&] { s.for_each({5}, [](int i, updates<int> a) { a[i] = i; }, a); }),
            "for_each at bounds_test.cpp:N: a (view 1): expected an element of array<int> of 4, "
            "which has [0:3], got [4] at index [4]; guard the border, or launch it over other "
            "indices");
}

/// Touches one element more than there are in each dimension, by one index.
template <std::size_t N>
std::string past_the_end(session& s, std::size_t dimension, std::int64_t by) {
  idx<N> extents, one;
  for (std::size_t d = 0; d < N; ++d) extents[d] = static_cast<std::int64_t>(d) + 2, one[d] = 1;
  const auto a = s.zeros<int, N>(extents);
  auto at = one;
  at[dimension] = by < 0 ? by : extents[dimension] - 1 + by;
  constexpr std::array says{"", "i => readwrite a[:]", "[i, j] => readwrite a[:,:]",
                            "[i, j, k] => readwrite a[:,:,:]",
                            "[i, j, k, l] => readwrite a[:,:,:,:]"};
  const auto text = told(s, [&] {
    s.for_each(box<N>{one, one + one},
               annotated([at](idx<N>, updates<int, N> a) { a[at] = 1; },
                         std::string("a: global ") + says[N]),
               a);
  });
  const auto got = text.find("got ");
  return got == std::string::npos ? text : text.substr(got, text.find(';') - got);
}

TEST(access_bounds, are_those_of_each_dimension) {
  session s({.threads = 1});
  EXPECT_EQ(past_the_end<2>(s, 0, 1), "got [2,1] at index [1,1]");
  EXPECT_EQ(past_the_end<2>(s, 1, 1), "got [1,3] at index [1,1]");
  EXPECT_EQ(past_the_end<2>(s, 1, -1), "got [1,-1] at index [1,1]");
  EXPECT_EQ(past_the_end<2>(s, 1, 0), "nothing");
  EXPECT_EQ(past_the_end<3>(s, 0, -1), "got [-1,1,1] at index [1,1,1]");
  EXPECT_EQ(past_the_end<3>(s, 1, 1), "got [1,3,1] at index [1,1,1]");
  EXPECT_EQ(past_the_end<3>(s, 2, 1), "got [1,1,4] at index [1,1,1]");
  EXPECT_EQ(past_the_end<4>(s, 0, 1), "got [2,1,1,1] at index [1,1,1,1]");
  EXPECT_EQ(past_the_end<4>(s, 3, 1), "got [1,1,1,5] at index [1,1,1,1]");
  EXPECT_EQ(past_the_end<4>(s, 3, 0), "nothing");
}

TEST(access_bounds, are_those_of_a_part) {
  session s({.threads = 1});
  const auto all = s.zeros<int, 2>({6, 8});
  const auto part = all[{{1, 2}, {4, 6}}];
  const auto touch = [&](idx<2> at) {
    all.fill(0);
    return told(s, [&] {
      s.for_each({1},
                 annotated([at](int, updates<int, 2> a) { a[at] += 1; },
                           "a: global i => readwrite a[:,:]"),
                 part);
    });
  };
  EXPECT_EQ(touch({2, 3}), "nothing");
  EXPECT_EQ(
      touch({2, 4}),
      "for_each at bounds_test.cpp:N: a (view 1): expected an element of array<int, 2> of 6 x 8, "
      "which has in this part [0:2,0:3], got [2,4] at index [0]; guard the border, or launch "
      "it over other indices");
  EXPECT_EQ(touch({3, 0}).substr(0, 40), "for_each at bounds_test.cpp:N: a (view 1");
  EXPECT_EQ(touch({-1, 0}).substr(0, 40), "for_each at bounds_test.cpp:N: a (view 1");
}

TEST(access_bounds, hold_for_elements_that_are_reduced_into) {
  session s({.threads = 2});
  const auto bin = s.to_array(std::vector{0, 2, 1, 3, 0}), bins = s.zeros<int>({3});
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each(
                       {5}, [](int i, reads<int> bin, reduces<int> bins) { bins[bin[i]] += 1; },
                       bin, bins);
                 }),
            "for_each at bounds_test.cpp:N: b (view 2): expected an element of array<int> of 3, "
            "which has [0:2], got [3] at index [3]; guard the border, or launch it over other "
            "indices");
  const auto sums = s.zeros<float>({1}), x = s.filled<float>({2000}, 1);
  EXPECT_EQ(told(s,
                 [&] {  // in lanes
                   s.for_each(
                       {2000},
                       [](int i, reads<float> x, reduces<float> sums) {
                         sums[i == 1500 ? 1 : 0] += x[i];
                       },
                       x, sums);
                 }),
            "for_each at bounds_test.cpp:N: b (view 2): expected an element of array<float> of 1, "
            "which has [0], got [1] at index [1500]; guard the border, or launch it over other "
            "indices");
  EXPECT_THROW(sums.host(), launch_error);
}

TEST(access_bounds, of_the_lowest_index_are_told_whatever_the_threads) {
  for (const unsigned threads : {1U, 2U, 5U, 8U}) {
    session s({.threads = threads});
    const auto in = s.zeros<int, 2>({700, 300}), out = s.unwritten<int, 2>({700, 300});
    const auto text = told(s, [&] {
      s.for_each(
          {700, 300},
          annotated([](idx<2> p, reads<int, 2> in,
                       writes<int, 2> out) { out[p] = in(p[0] < 40 ? p[0] : p[0] + 400, p[1]); },
                    "in, out: global [i, j] => read in[:,j], write out[i,j]"),
          in, out);
    });
    EXPECT_NE(text.find("got [700,0] at index [300,0];"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace pappus
