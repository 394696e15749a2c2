// Indices that meet at an element, in launches of which nothing is known.
#include <vector>

#include <gtest/gtest.h>

#include "access/told.h"

namespace pappus {
namespace {

using testing::told;

class meeting_indices : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef PAPPUS_TEST_INFERRED
    GTEST_SKIP() << "the compiler plugin knows what these functions touch";
#endif
  }
};

/// out[to[i]] = i
void scatter(idx<1> i, reads<int> to, writes<int> out) { out[to[i]] = static_cast<int>(i); }

TEST_F(meeting_indices, are_told_where_both_write) {
  session s({.threads = 1});
  const auto out = s.zeros<int>({5});
  const auto run = [&](const std::vector<int>& to) {
    return told(s, [&] {
      s.for_each(static_cast<long>(to.size()), fn<scatter>, s.to_array(to), out[{1, 5}]);
    });
  };
  EXPECT_EQ(run({3, 1, 0, 2}), "nothing");
  EXPECT_EQ(out.to_vector(), (std::vector{0, 2, 1, 3, 0}));
  EXPECT_EQ(
      run({3, 1, 0, 1}),
      "for_each at meeting_test.cpp:N: b (view 2): expected that no index writes what another "
      "one writes, got [1] of array<int> of 5 at index [3] and at [1]; let each index write "
      "elements of its own, or take reduces<R, N>");
}

TEST_F(meeting_indices, are_told_where_one_reads_what_the_other_updates) {
  session s({.threads = 1});
  const auto a = s.filled<int, 2>({3, 4}, 1);
  EXPECT_EQ(
      told(s,
           [&] {
             s.for_each(
                 {3, 4},
                 [](idx<2> p, updates<int, 2> a) {
                   if (p[1] > 0) a[p] += a(p[0], p[1] - 1);
                 },
                 a);
           }),
      "for_each at meeting_test.cpp:N: a (view 1): expected that no index touches what another "
      "one writes, got [0,1] of array<int, 2> of 3 x 4 at index [0,2] and at [0,1]; write to "
      "another array, and swap the two");
  a.fill(1);
  EXPECT_EQ(
      told(s,
           [&] {  // the reader comes first
             s.for_each(
                 {3, 4},
                 [](idx<2> p, updates<int, 2> a) {
                   if (p[0] < 2) a[p] += a(p[0] + 1, p[1]);
                 },
                 a);
           }),
      "for_each at meeting_test.cpp:N: a (view 1): expected that no index touches what another "
      "one writes, got [1,0] of array<int, 2> of 3 x 4 at index [1,0] and at [0,0]; write to "
      "another array, and swap the two");
}

TEST_F(meeting_indices, may_read_what_nobody_writes) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    session s({.threads = threads});
    long n = 3000;
    const auto a = s.filled<int>({n}, 1);
    EXPECT_EQ(told(s,
                   [&] {
                     s.for_each(
                         {n},
                         [n](idx<1> i, updates<int> a) {
                           if (i % 2 == 0) return;
                           a[i] += a[0] + a[i - 1] + (i + 1 < n ? a[i + 1] : 0);
                         },
                         a);
                   }),
              "nothing");
    EXPECT_EQ(a.host()[1001], 4);
  }
}

TEST_F(meeting_indices, are_found_by_any_threads) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    session s({.threads = threads});
    const long n = 20'000;
    const auto a = s.filled<int>({n}, 1), out = s.zeros<int>({n});
    EXPECT_NE(
        told(s,
             [&] { s.for_each({n}, [](idx<1> i, writes<int> out) { out[i % 19'999] = 1; }, out); })
            .find("got [0] of array<int> of 20000 at index "),
        std::string::npos)
        << threads;
    EXPECT_NE(told(s,
                   [&] {
                     s.for_each(
                         {n},
                         [](idx<1> i, updates<int> a) {
                           if (i == 7) a[19'000] = 5;
                           if (i == 19'000) a[8] = a[i];
                         },
                         a);
                   })
                  .find("got [19000] of array<int> of 20000 at index "),
              std::string::npos)
        << threads;
  }
}

}  // namespace
}  // namespace pappus
