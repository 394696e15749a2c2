// What a session keeps of launches that have run.
#include <cstdint>

#include <gtest/gtest.h>

#include "pappus/pappus.h"
#include "support/counted_allocations.h"

namespace pappus::testing {
namespace {

constexpr std::int64_t indices = 16;
constexpr int launches = 100'000;

void launch_often(session& s, const array<std::uint64_t>& a, const array<std::uint64_t>& b, int n) {
  for (int round = 0; round < n; ++round)
    s.for_each({indices},
               annotated([by = static_cast<std::uint64_t>(round)](
                             idx<1> i, reads<std::uint64_t> in,
                             updates<std::uint64_t> out) { out[i] += in[i] * by; },
                         "in, out: global i => read in[i], readwrite out[i]"),
               round % 2 == 0 ? a : b, round % 2 == 0 ? b : a);
  s.wait();
}

TEST(launches_that_have_run, leave_less_than_ten_bytes_each_behind) {
  if (!allocations_are_counted) GTEST_SKIP() << "sanitizers have an operator new of their own";
  session s({.threads = 2});
  const auto a = s.filled<std::uint64_t>({indices}, 1), b = s.filled<std::uint64_t>({indices}, 1);
  launch_often(s, a, b, 1000);  // threads, queues and tables are there afterwards
  const auto before = bytes_held.load();
  launch_often(s, a, b, launches);
  EXPECT_LE(bytes_held.load() - before, 10 * launches);
}

}  // namespace
}  // namespace pappus::testing
