// Elements that an array has and a launch's index mustn't touch.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "access/told.h"

namespace pappus {
namespace {

using testing::told;

/// out[i] = in[i + by], for the index `only`; in[i] for others.
auto shifted(std::int64_t only, std::int64_t by, const char* text) {
  return annotated(
      [only, by](idx<1> i, reads<int> in, writes<int> out) {
        out[i] = in[i == only ? i + by : std::int64_t{i}];
      },
      text);
}

constexpr const char* three_points = "in, out: global i => read in[i-1:i+1], write out[i]";

TEST(access_regions, end_where_annotations_say) {
  session s({.threads = 1});
  const auto in = s.filled<int>({100}, 1), out = s.zeros<int>({100});
  const auto shift = [&](std::int64_t only, std::int64_t by) {
    return told(s, [&] { s.for_each({100}, shifted(only, by, three_points), in, out); });
  };
  for (const int by : {-1, 0, 1}) EXPECT_EQ(shift(50, by), "nothing");
  EXPECT_EQ(shift(50, 2),
            "for_each at regions_test.cpp:N: in (view 1): expected [49:51] of array<int> of 100 to "
            "be touched at index [50], got [52] (in, out: global i => read in[i-1:i+1], "
            "write out[i]); say all that it touches with annotated() "
            "or at(), or let it touch less");
  EXPECT_EQ(shift(50, -2),
            "for_each at regions_test.cpp:N: in (view 1): expected [49:51] of array<int> of 100 to "
            "be touched at index [50], got [48] (in, out: global i => read in[i-1:i+1], "
            "write out[i]); say all that it touches with annotated() "
            "or at(), or let it touch less");
  // At the array's ends they end there.
  EXPECT_EQ(shift(0, 1), "nothing");
  EXPECT_NE(shift(0, 2).find("expected [0:1] of array<int> of 100"), std::string::npos);
  EXPECT_NE(shift(99, -2).find("expected [98:99] of array<int> of 100"), std::string::npos);
  EXPECT_NE(shift(99, 1).find("which has [0:99], got [100] at index [99]"), std::string::npos);
}

TEST(access_regions, end_where_arguments_say) {
  session s({.threads = 1});
  const auto in = s.filled<int>({100}, 1), out = s.zeros<int>({100});
  const auto [i] = launch_index<1>();
  const auto copy = [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[99 - i]; };
  EXPECT_EQ(told(s, [&] { s.for_each({100}, copy, in.at(99 - i), out.at(i)); }), "nothing");
  EXPECT_EQ(told(s, [&] { s.for_each({100}, copy, in.at(98 - i, 98 - i), out.at(i)); }),
            "for_each at regions_test.cpp:N: a (view 1): expected [98] of array<int> of 100 to be "
            "touched at index [0], got [99] (read a[(-1)*i+98], write b[i]); say all that it "
            "touches with annotated() or at(), or let it touch less");
}

TEST(access_regions, of_several_accesses_are_all_of_them) {
  session s({.threads = 2});
  const auto in = s.filled<int, 2>({40, 50}, 1), out = s.zeros<int, 2>({40, 50});
  const auto run = [&](idx<2> where) {
    return told(s, [&] {
      s.for_each(
          {40, 50},
          annotated(
              [where](idx<2> p, reads<int, 2> in, writes<int, 2> out) {
                int sum = 0;
                for (long d : {-1L, 1L}) {
                  if (const auto i = p[0] + d; i >= 0 && i < 40) sum += in(i, p[1]);
                  if (const auto j = p[1] + d; j >= 0 && j < 50) sum += in(p[0], j);
                }
                if (p == idx<2>(20, 30)) sum += in[p + where];
                out[p] = sum;
              },
              "in, out: global [i, j] => read in[i-1:i+1,j], read in[i,j-1:j+1], write out[i,j]"),
          in, out);
    });
  };
  EXPECT_EQ(run({0, 0}), "nothing");
  EXPECT_EQ(run({1, 1}),  // a corner
            "for_each at regions_test.cpp:N: in (view 1): expected [19,30], [20,29:31], [21,30] of "
            "array<int, 2> of 40 x 50 to be touched at index [20,30], got [21,31] (in, out: global "
            "[i, j] => read in[i-1:i+1,j], read in[i,j-1:j+1], write out[i,j]); say all that it "
            "touches with annotated() or at(), or let it touch less");
  EXPECT_EQ(run({0, -1}), "nothing");
}

TEST(access_regions, hold_for_writes_updates_and_reductions) {
  session s({.threads = 1});
  const auto a = s.zeros<int, 2>({4, 5});
  const auto told_of = [&](auto f) {
    a.fill(0);
    return told(s, [&] { s.for_each({4, 4}, f, a); });
  };
  const auto where = [](const std::string& text) {
    const auto begin = text.find("expected"), end = text.find(" (", begin);
    return begin == std::string::npos || end == std::string::npos ? text
                                                                  : text.substr(begin, end - begin);
  };
  EXPECT_EQ(where(told_of(annotated([](idx<2> p, writes<int, 2> a) { a(p[0], p[1] + 1) = 1; },
                                    "a: global [i, j] => write a[i,j]"))),
            "expected [0,0] of array<int, 2> of 4 x 5 to be touched at index [0,0], got [0,1]");
  EXPECT_EQ(where(told_of(annotated([](idx<2> p, updates<int, 2> a) { a(p[1], p[0]) += 1; },
                                    "a: global [i, j] => readwrite a[i,j]"))),
            "expected [0,1] of array<int, 2> of 4 x 5 to be touched at index [0,1], got [1,0]");
  EXPECT_EQ(where(told_of(annotated([](idx<2> p, reduces<int, 2> a) { a(p[0], p[1] / 2) += 1; },
                                    "a: global [i, j] => reduce a[i,0]"))),
            "expected [0,0] of array<int, 2> of 4 x 5 to be touched at index [0,2], got [0,1]");
  EXPECT_EQ(
      where(told_of(annotated([](idx<2>, reduces<largest<int>, 2> a) { a(3, 3).accumulate(1); },
                              "a: global [i, j] => reduce(max) a[2*i+3:2*i+4,j]"))),
      "expected [3,0] of array<int, 2> of 4 x 5 to be touched at index [0,0], got [3,3]");
}

TEST(access_regions, of_quotients_are_those_of_each_index) {
  session s({.threads = 2});
  const auto a = s.zeros<int, 2>({4, 5});
  const auto shrink = [&](std::int64_t only, std::int64_t columns) {
    const auto f = [=](idx<2> p, reduces<int, 2> a) {
      a((p[0] - 20) / 8, (p[1] - 30 + (p[1] == only ? 1 : 0)) / columns) += 1;
    };
    return told(s, [&] {
      s.for_each(box<2>{{20, 30}, {52, 70}},
                 annotated(f, "a: global [i, j] => reduce a[(i-20)/k,(j-30)/k]", {{"k", 8}}), a);
    });
  };
  EXPECT_EQ(shrink(40, 8), "nothing");  // in the middle of a block
  EXPECT_EQ(a.host()(0, 0), 64);
  EXPECT_EQ(shrink(45, 8),
            "for_each at regions_test.cpp:N: a (view 1): expected [0,1] of array<int, 2> of 4 x 5 "
            "to be touched at index [20,45], got [0,2] (a: global [i, j] => reduce "
            "a[(i-20)/k,(j-30)/k]); say all that it touches with annotated() or at(), or let it "
            "touch less");
  a.fill(0);
  EXPECT_NE(shrink(-1, 9).find("expected [0,1] of array<int, 2> of 4 x 5 to be touched at index "
                               "[20,38], got [0,0]"),
            std::string::npos);
}

TEST(access_regions, are_numbered_as_parts_are) {
  session s({.threads = 1});
  const auto in = s.filled<int>({100}, 1), out = s.zeros<int>({100});
  const auto text =
      told(s, [&] { s.for_each({10}, shifted(4, 2, three_points), in[{20, 30}], out[{50, 60}]); });
  EXPECT_NE(text.find("expected [3:5] of array<int> of 100 to be touched at index [4], got [6]"),
            std::string::npos)
      << text;
}

TEST(access_regions, are_those_of_indices_that_dont_begin_at_0) {
  session s({.threads = 3});
  const auto in = s.filled<int>({100}, 1), out = s.zeros<int>({100});
  EXPECT_EQ(told(s, [&] { s.for_each(box<1>{30, 60}, shifted(59, 1, three_points), in, out); }),
            "nothing");
  EXPECT_NE(
      told(s, [&] { s.for_each(box<1>{30, 60}, shifted(59, 2, three_points), in, out); })
          .find("expected [58:60] of array<int> of 100 to be touched at index [59], got [61]"),
      std::string::npos);
}

TEST(access_regions, fail_launches_as_exceptions_do) {
  session s({.threads = 2});
  const auto in = s.filled<int>({100}, 1), out = s.zeros<int>({100}), after = s.zeros<int>({100});
  s.for_each({100}, shifted(50, 2, three_points), in, out);
  s.for_each({100}, shifted(0, 0, three_points), out, after);
  for (const auto& one : {out, after}) {
    try {
      one.host();
      ADD_FAILURE() << "expected launch_error";
    } catch (const launch_error& e) {
      EXPECT_THROW(e.rethrow_nested(), usage_error);
    }
  }
  s.for_each({100}, shifted(0, 0, three_points), in, out);  // heals it
  EXPECT_EQ(out.to_vector(), std::vector<int>(100, 1));
}

}  // namespace
}  // namespace pappus
