// A unit without checks, in a program whose other units have them.
#undef PAPPUS_CHECK_ACCESS

#include <cstdlib>

#include <gtest/gtest.h>

#include "access/told.h"
#include "access/units.h"
#include "access/workloads.h"

namespace pappus::testing {

workload_results unchecked_workloads(unsigned threads) { return all_workloads(threads); }
void launch_wrongly_without_checks(session& s) { launch_wrongly(s); }

namespace {

static_assert(!reads<float>::checks);
static_assert(sizeof(reads<float, 2>) == sizeof(void*) + 4 * sizeof(std::int64_t));

TEST(check_setting, refuses_functions_without_checks_where_they_are_wanted) {
  ::setenv("PAPPUS_CHECK", "access", 1);
  session s({.threads = 1});
  ::unsetenv("PAPPUS_CHECK");
  const auto a = s.zeros<int>({10});
  EXPECT_EQ(told(s, [&] { s.for_each({10}, [](idx<1> i, updates<int> a) { a[i] = 1; }, a); }),
            "at the call: for_each at unchecked_test.cpp:N: PAPPUS_CHECK=access: expected a "
            "function that is compiled with checks, got one without; compile it with "
            "pappus_enable(target CHECK), or with -DPAPPUS_CHECK_ACCESS");
  EXPECT_EQ(a.to_vector(), std::vector<int>(10)) << "what the library launches has no checks";
  int calls = 0;
  s.for_each({3}, [&calls](idx<1>) { ++calls; });
  EXPECT_EQ(calls, 3) << "without views there is nothing to check";
}

TEST(check_setting, leaves_functions_without_checks_alone_otherwise) {
  session s({.threads = 2});
  EXPECT_EQ(told(s, [&] { launch_wrongly(s); }), "nothing");
}

}  // namespace
}  // namespace pappus::testing
