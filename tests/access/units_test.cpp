// Units with and without checks in one program, and the setting that both obey.
#include <cstdlib>

#include <gtest/gtest.h>

#include "access/told.h"
#include "access/units.h"
#include "access/workloads.h"

namespace pappus::testing {
namespace {

static_assert(reads<float>::checks);

TEST(checked_launches, have_the_bits_of_those_without) {
  const auto expected = unchecked_workloads(1);
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    EXPECT_EQ(all_workloads(threads), expected) << threads << " threads";
    EXPECT_EQ(unchecked_workloads(threads), expected) << threads << " threads";
  }
}

TEST(checked_launches, run_beside_others_of_the_same_function) {
  session s({.threads = 2});
  EXPECT_EQ(told(s, [&] { launch_wrongly_without_checks(s); }), "nothing");
  EXPECT_EQ(told(s, [&] { launch_wrongly(s); }).substr(0, 108),
            "for_each at workloads.h:N: in (view 1): expected [0:1,0] of array<float, 2> of 9 x "
            "9 to be touched at index ");
  EXPECT_EQ(told(s, [&] { launch_wrongly_without_checks(s); }), "nothing");
}

TEST(check_setting, chooses_whether_checks_are_made) {
  const auto under = [](const char* setting) {
    ::setenv("PAPPUS_CHECK", setting, 1);
    session s({.threads = 2});
    ::unsetenv("PAPPUS_CHECK");
    return told(s, [&] { launch_wrongly(s); });
  };
  EXPECT_EQ(under("none"), "nothing");
  EXPECT_NE(under("access"), "nothing");
  EXPECT_NE(under(""), "nothing") << "not set: they are made where they are compiled in";
  ::setenv("PAPPUS_CHECK", "acess", 1);
  try {
    const session s({.threads = 1});
    ADD_FAILURE() << "expected usage_error";
  } catch (const usage_error& e) {
    EXPECT_STREQ(e.what(), "PAPPUS_CHECK: expected access or none, got \"acess\"");
  }
  ::unsetenv("PAPPUS_CHECK");
}

}  // namespace
}  // namespace pappus::testing
