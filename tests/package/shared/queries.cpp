// Queries of a shared library that others open: with threads of Pappus's, an exception that crosses
// them, and all that a device would have of it.
#include <stdexcept>

#include <pappus/pappus.h>

extern "C" long sum_of_squares(long n) {
  pappus::session s{pappus::options{.threads = 2}};
  return s.range(0L, n).map([](long x) { return x * x; }).sum();
}

/// The number of groups, or -1 for a lambda that threw.
extern "C" long groups_of(long n, long bad) {
  pappus::session s{pappus::options{.threads = 2}};
  try {
    const auto counted = s.range(0L, n)
                             .map([bad](long x) {
                               if (x == bad) throw std::invalid_argument("bad");
                               return x;
                             })
                             .group_by([](long x) { return x % 1000; })
                             .count();
    return counted.collect().size();
  } catch (const std::invalid_argument&) {
    return -1;
  }
}
