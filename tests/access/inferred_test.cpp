// Functions whose accesses the compiler plugin finds: it finds the same where they are checked.
#include <vector>

#include <gtest/gtest.h>

#include "access/told.h"

namespace pappus {
namespace {

using testing::told;

class inferred_access : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_INFERRED
    GTEST_SKIP() << "without the compiler plugin nothing is inferred";
#endif
  }
};

TEST_F(inferred_access, is_found_in_spite_of_checks) {
  session s({.threads = 2});
  const auto in = s.filled<int>({10}, 1), out = s.zeros<int>({10});
  const auto text = told(s, [&] {
    s.for_each({10}, [](idx<1> i, reads<int> in, writes<int> out) { out[i / 2] = in[i]; }, in, out);
  });
  EXPECT_NE(text.find("at the call: "), std::string::npos) << text;
  EXPECT_NE(text.find("expected that each index writes elements of its own, got an element that "
                      "several may write (read a[i], readwrite b[i/2])"),
            std::string::npos)
      << text;
}

TEST_F(inferred_access, passes_where_borders_are_guarded) {
  session s({.threads = 2});
  long n = 500;
  const auto in = s.filled<int>({n}, 1), out = s.zeros<int>({n});
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each(
                       {n},
                       [n](idx<1> i, reads<int> in, writes<int> out) {
                         out[i] = (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
                       },
                       in, out);
                 }),
            "nothing");
  EXPECT_EQ(out.host()[250], 2);
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each(
                       {n},
                       [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[i] + in[i + 1]; },
                       in, out);
                 }),
            "for_each at inferred_test.cpp:N: a (view 1): expected an element of array<int> of "
            "500, which has [0:499], got [500] at index [499]; guard the border, or launch it over "
            "other indices");
}

TEST_F(inferred_access, gives_way_to_what_an_argument_says) {
  session s({.threads = 2});
  const auto in = s.filled<int>({10}, 1), out = s.zeros<int>({10});
  const auto [i] = launch_index<1>();
  EXPECT_EQ(told(s,
                 [&] {
                   s.for_each(
                       {9}, [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[i + 1]; },
                       in.at(i), out);
                 }),
            "for_each at inferred_test.cpp:N: a (view 1): expected [0] of array<int> of 10 to be "
            "touched at index [0], got [1] (write b[i], read a[i]); say all that it touches with "
            "annotated() or at(), or let it touch less");
}

}  // namespace
}  // namespace pappus
