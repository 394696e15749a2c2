// What explain() tells of launches that wait.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/held_launches.h"

namespace pappus::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void add_one(session& s, const array<int>& to) {
  s.for_each(
      to.extent(0),
      annotated([](idx<1> i, updates<int> a) { a[i] += 1; }, "a: global i => readwrite a[i]"), to);
}

TEST(explained_launches, are_those_that_wait) {
  session s;
  const auto a = s.filled<int>({100}, 7);
  held_launches held(s);
  add_one(s, a);
  EXPECT_THAT(a.explain(), AllOf(HasSubstr("for_each at explain_test.cpp:"),
                                 HasSubstr("a: global i => readwrite a[i]")));
  held.release();
  EXPECT_EQ(a.to_vector()[99], 8);
  s.wait();  // elements are there before their batch has ended
  EXPECT_THAT(a.explain(), IsEmpty());
}

TEST(explained_launches, are_those_that_will_be_planned_together) {
  session s;
  const auto a = s.to_array(std::vector<int>(100));
  held_launches held(s);
  for (int i = 0; i < 200; ++i) add_one(s, a);
  EXPECT_THAT(a.explain(),
              AllOf(HasSubstr("s63 for_each"), Not(HasSubstr("s64 for_each")),
                    HasSubstr("136 more launches wait; they are planned 64 at a time")));
  held.release();
  EXPECT_EQ(a.to_vector()[99], 200);
}

#ifndef PAPPUS_TEST_INFERRED  // with the plugin it is known
TEST(explained_launches, tell_what_would_be_gained) {
  session s;
  const auto a = s.to_array(std::vector<int>(100));
  held_launches held(s);
  s.for_each({100}, [](int i, updates<int> to) { to[i] += i; }, a);
  EXPECT_THAT(a.explain(),
              HasSubstr("what it touches isn't known, so launches over its arrays run one after "
                        "another; pappus_enable() (clang) finds it"));
}
#endif

}  // namespace
}  // namespace pappus::testing
