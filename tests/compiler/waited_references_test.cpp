// Launches of functions that do more with what they captured by reference than read it, or of which
// nothing is known: their call returns when they have run.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/launch_outcome.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

/// Element 7 after a launch that is waited for.
template <typename Launch>
double waited(const Launch& launch) {
  const auto [value, waited] = outcome_of(20, launch);
  EXPECT_TRUE(waited);
  return value;
}

TEST(captured_references, are_waited_for_where_they_are_written) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              std::int64_t calls = 0, last = 0;
              double x = 0;
              const auto set = [&] { x = 1; };
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    ++std::atomic_ref(calls);
                    if (i == 99) last = i;
                    if (i == 98) set();
                    o[i] = 1;
                  },
                  out);
              EXPECT_EQ(calls, 100);
              EXPECT_EQ(last, 99);
              EXPECT_EQ(x, 1);
            }),
            1);
}

TEST(captured_references, are_waited_for_where_constness_is_cast_away) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 0, y[2] = {0, 0};
              const double& same = x;
              s.for_each(
                  {1},
                  [&](idx<1>, updates<double> o) {
                    const_cast<double&>(same) = 1;
                    const double ones[2] = {1, 1};
                    std::memcpy(&y, ones, sizeof ones);
                    o[7] = 1;
                  },
                  out);
              EXPECT_EQ(x, 1);
              EXPECT_EQ(y[1], 1);
            }),
            1);
}

TEST(captured_references, are_waited_for_where_others_are_behind_them) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              const std::vector<double> x(100, 3);
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = x[i]; }, out);
            }),
            3);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 3;
              const auto f = [&](double a) { return a * x; };
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = f(1); }, out);
              x = 0;
            }),
            3);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 3, y = 4;
              const references both{x, y};
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = both.x + both.y; }, out);
              x = y = 0;
            }),
            7);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              const std::string x = "abc";
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = x[1]; }, out);
            }),
            'b');
}

struct shape {
  double side = 3;
  virtual ~shape() = default;
  virtual double area() const = 0;
};
struct square : shape {
  double area() const override { return side * side; }
};

double root_of(const double& x) { return std::sqrt(x); }

TEST(captured_references, are_waited_for_where_functions_are_unknown) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              square x;
              const shape& any = x;
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = any.area(); }, out);
              x.side = 0;
            }),
            9);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 9;
              double (*root)(const double&) = root_of;
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = root(x); }, out);
              root = nullptr;
              x = 0;
            }),
            3);
}

TEST(captured_references, are_waited_for_where_their_size_is_unknown) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x[100];
              std::fill(x, x + 100, 3);
              s.for_each({100}, [p = &x[0]](idx<1> i, updates<double> o) { o[i] = p[i]; }, out);
              std::fill(x, x + 100, 0);
            }),
            3);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              char x[200] = "a";
              x[199] = 'b';
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    o[i] = x[0] + (std::memchr(x, 'b', sizeof x) != nullptr);
                  },
                  out);
              std::memset(x, 0, sizeof x);
            }),
            'a' + 1);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              std::array<double, 10'000> x;
              x.fill(3);
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = x[i]; }, out);
              x.fill(0);
            }),
            3);
}

TEST(captured_references, are_waited_for_where_addresses_matter) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 3;
              const double* const p = &x;
              s.for_each(
                  {100}, [&x, p](idx<1> i, updates<double> o) { o[i] = p == &x ? x : 0; }, out);
              x = 0;
            }),
            3);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 3;
              const auto* const p = &x;
              s.for_each(
                  {100},
                  [&x](idx<1> i, updates<double> o) {
                    const auto address = reinterpret_cast<std::uintptr_t>(&x);
                    std::memcpy(&o[i], &address, sizeof address);
                  },
                  out);
              EXPECT_EQ(std::bit_cast<const double*>(out.host()[7]), p);
            }) != 0,
            true);
}

TEST(captured_references, are_waited_for_where_exceptions_are_thrown) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 3;
              const std::string what = "negative";
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    if (i == 8) x = 4;
                    if (x < 0) throw std::invalid_argument(what);
                    o[i] = 3;
                  },
                  out);
              EXPECT_EQ(x, 4);
            }),
            3);
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              double x = 3;
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    if (i > 99) throw std::invalid_argument(std::to_string(x));
                    o[i] = 1;
                  },
                  out);
              x = 0;
            }),
            1);
}

TEST(captured_references, are_waited_for_where_others_may_write_them) {
  EXPECT_EQ(waited([](session& s, const numbers& out) {
              std::atomic<int> x = 3;
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = x; }, out);
              x = 0;
            }),
            3);
}

}  // namespace
}  // namespace pappus::testing
