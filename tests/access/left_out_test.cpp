// Elements that a launch is said to write, and doesn't.
#include <vector>

#include <gtest/gtest.h>

#include "access/told.h"

namespace pappus {
namespace {

using testing::told;

TEST(left_out_writes, are_told) {
  session s({.threads = 1});
  const auto out = s.zeros<int>({10});
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each({10},
                              annotated(
                                  [](idx<1> i, writes<int> out) {
                                    if (i != 7) out[i] = 1;
                                  },
                                  "out: global i => write out[i]"),
                              out);
                 }),
            "for_each at left_out_test.cpp:N: out (view 1): expected [7] of array<int> of 10 to be "
            "written at index [7], got 1 of 1 left out, the first [7] (out: global i => "
            "write out[i]); write all of them, or say readwrite, of a view of updates<T, N>");
}

TEST(left_out_writes, are_those_of_an_index) {
  session s({.threads = 1});
  const auto out = s.unwritten<int, 2>({8, 6});
  const auto write = [&](long skipped) {
    return told(s, [&] {
      s.for_each({4},
                 annotated(
                     [skipped](idx<1> i, writes<int, 2> out) {
                       for (long r = 2 * i; r < 2 * i + 2; ++r)
                         for (long j = 0; j < 6; ++j)
                           if (r != skipped || j < 4) out(r, j) = 1;
                     },
                     "out: global i => write out[2*i:2*i+1,:]"),
                 out);
    });
  };
  EXPECT_EQ(write(-1), "nothing");
  EXPECT_EQ(out.to_vector(), std::vector<int>(48, 1));
  EXPECT_EQ(
      write(5),
      "for_each at left_out_test.cpp:N: out (view 1): expected [4:5,0:5] of array<int, 2> of 8 x 6 "
      "to be written at index [2], got 2 of 12 left out, the first [5,4] (out: global i "
      "=> write out[2*i:2*i+1,:]); write all of them, or say readwrite, of a view of "
      "updates<T, N>");
}

TEST(left_out_writes, are_only_elements_that_are_there) {
  session s({.threads = 1});
  const auto out = s.zeros<int>({9});
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each({5},
                              annotated(
                                  [](idx<1> i, writes<int> out) {
                                    out[2 * i] = 1;
                                    if (2 * i + 1 < out.extent(0)) out[2 * i + 1] = 2;
                                  },
                                  "out: global i => write out[2*i:2*i+1]"),
                              out);
                 }),
            "nothing");
  EXPECT_EQ(out.to_vector(), (std::vector{1, 2, 1, 2, 1, 2, 1, 2, 1}));
}

TEST(left_out_writes, are_found_where_arguments_say_what_is_written) {
  session s({.threads = 1});
  const auto out = s.zeros<int>({20});
  const auto [i] = launch_index<1>();
  const auto text = told(s, [&] {
    s.for_each(
        {10}, [](idx<1> i, writes<int> out) { out[2 * i + 1] = 1; }, out.at(2 * i, 2 * i + 1));
  });
  EXPECT_NE(text.find("expected [0:1] of array<int> of 20 to be written at index [0], got 1 of 2 "
                      "left out, the first [0]"),
            std::string::npos)
      << text;
}

TEST(left_out_writes, are_none_where_nothing_is_said_or_elements_are_updated) {
  session s({.threads = 2});
  const auto a = s.filled<int>({10}, 5);
  const auto odd = [](idx<1> i, updates<int> a) {
    if (i % 2 == 1) a[i] = 1;
  };
  EXPECT_EQ(told(s, [&] { s.for_each({10}, annotated(odd, "a: global i => readwrite a[i]"), a); }),
            "nothing");
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each(
                       {10},
                       [](idx<1> i, writes<int> a) {
                         if (i % 2 == 0) a[i] = 2;
                       },
                       a);
                 }),
            "nothing");
  EXPECT_EQ(a.to_vector(), (std::vector{2, 1, 2, 1, 2, 1, 2, 1, 2, 1}));
}

}  // namespace
}  // namespace pappus
