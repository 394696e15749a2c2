// Launches of functions that only read what they captured by reference: they run after their call,
// and compute with the values at the call.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/launch_outcome.h"
#include "pappus/pappus.h"

namespace pappus::testing {
namespace {

using ::testing::Each;

class copied_references : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "without the compiler plugin nothing is known of captured references";
#endif
  }
  /// Element 7 after a launch that isn't waited for.
  template <typename Launch>
  static double later(const Launch& launch) {
    const auto [value, waited] = outcome_of(10'000, launch);
    EXPECT_FALSE(waited);
    return value;
  }
};

TEST_F(copied_references, have_the_values_at_the_call) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3;
              const long n = out.extent(0);
              s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = x * i + n; }, out);
              x = 5;
            }),
            121);
}

TEST_F(copied_references, may_outlive_variables_of_any_function) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              const auto launch = [&](double x) {
                s.for_each({100}, [&x](idx<1> i, updates<double> o) { o[i] = x; }, out);
              };
              launch(4);
            }),
            4);
}

TEST_F(copied_references, may_be_on_another_threads_stack) {
  const auto launch = [](session& s, const numbers& out) {
    double x = 3;
    s.for_each({100}, [&](idx<1> i, updates<double> o) { o[i] = x; }, out);
    x = 5;
  };
  EXPECT_EQ(later([&](session& s, const numbers& out) {
              std::thread([&] {
                call(launch, s, out);
                overwrite_stack();
              }).join();
            }),
            3);
}

TEST_F(copied_references, may_be_arrays) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              std::array<double, 4> x{1, 2, 3, 4};
              double y[2][3] = {{10, 20, 30}, {40, 50, 60}};
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    double sum = x[i % 4] + y[i % 2][i % 3];
                    for (const double one : x) sum += one;
                    o[i] = sum;
                  },
                  out);
              x.fill(0);
              y[1][1] = 0;
            }),
            64);
}

struct bits {
  unsigned a : 3, b : 20;
  int c : 9;
  unsigned long d : 33;
};

TEST_F(copied_references, may_be_parts_of_structs) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              bits x{3, 4, -5, 6};
              std::optional<double> y = 10;
              auto z = std::pair(100, 0.5F);
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    const auto [first, second] = z;
                    o[i] = static_cast<double>(x.c) + static_cast<double>(x.d) + y.value_or(1) +
                           first + static_cast<double>(second);
                  },
                  out);
              x = {};
              y.reset();
              z = {};
            }),
            111.5);
}

template <std::size_t Bytes>
struct alignas(Bytes) aligned_floats {
  std::array<float, Bytes / sizeof(float)> values;
};

TEST_F(copied_references, keep_their_alignment) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              char before = 1;
              aligned_floats<64> x;
              char between = 2;
              aligned_floats<256> y;
              x.values.fill(3);
              y.values.fill(4);
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    float sum = 0;
                    auto copy = x;  // by vectors that take it for aligned
                    for (std::size_t n = 0; n < 16; ++n)
                      sum += (copy.values[n] *= static_cast<float>(i)) + y.values[n + 16];
                    o[i] = static_cast<double>(sum) + before + between;
                  },
                  out);
              x.values.fill(0);
              y.values.fill(0);
            }),
            16 * (3 * 7 + 4) + 3);
}

TEST_F(copied_references, may_be_of_one_variable) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3;
              double& y = x;
              const double& z = y;
              s.for_each(
                  {100},
                  [&x, &y, &z, p = &y](idx<1> i, updates<double> o) { o[i] = x + y + z + *p; },
                  out);
              x = 5;
            }),
            12);
}

TEST_F(copied_references, may_be_captured_by_what_is_captured) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3, y = 4;
              const auto f = [&x](double a) { return a * x; };
              const auto g = [f, &y](double a) { return f(a) + y; };
              s.for_each(
                  {100}, [g](idx<1> i, updates<double> o) { o[i] = g(static_cast<double>(i)); },
                  out);
              x = y = 0;
            }),
            25);
}

TEST_F(copied_references, may_be_members) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3, y = 4;
              const references both{x, y};
              s.for_each(
                  {100}, [both](idx<1> i, updates<double> o) { o[i] = both.x + both.y; }, out);
              x = y = 0;
            }),
            7);
}

struct model {
  double factor = 3;
  std::vector<double> table{1, 2};
  void launch(session& s, const numbers& out) const {
    s.for_each({100}, [this](idx<1> i, updates<double> o) { o[i] = factor * i; }, out);
  }
};

TEST_F(copied_references, may_be_of_the_object) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              model m;
              m.launch(s, out);
              m.factor = 0;
            }),
            21);
}

TEST_F(copied_references, may_be_one_of_several) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3, y = 4;
              s.for_each(
                  {100},
                  [&](idx<1> i, updates<double> o) {
                    o[i] = std::min(x, y) + std::max(static_cast<double>(i), y);
                  },
                  out);
              x = y = 0;
            }),
            10);
}

TEST_F(copied_references, may_be_null) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3;
              const double *p = may_end ? &x : nullptr, *q = &x;
              s.for_each(
                  {100},
                  [p, q](idx<1> i, updates<double> o) { o[i] = (p ? *p : 10) + (q ? *q : 100); },
                  out);
              x = 0;
            }),
            13);
}

TEST_F(copied_references, may_be_in_formulas) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              const auto in = s.filled<double>({100}, 1.0);
              std::int64_t width = 2, n = 100;
              s.for_each(
                  {100},
                  [&](idx<1> i, reads<double> in, updates<double> o) {
                    double sum = 0;
                    const auto first = std::max<std::int64_t>(i - width, 0);
                    for (auto j = first; j <= std::min(i + width, n - 1); ++j) sum += in[j];
                    o[i] = sum;
                  },
                  in, out);
              width = 50;
              n = 0;
            }),
            5);
}

TEST_F(copied_references, may_be_of_annotated_functions) {
  EXPECT_EQ(later([](session& s, const numbers& out) {
              double x = 3;
              s.for_each({100},
                         annotated([&](idx<1> i, updates<double> o) { o[i] = x; },
                                   "o: global i => readwrite o[i]"),
                         out);
              x = 5;
            }),
            3);
}

TEST_F(copied_references, may_be_many) {
  session s({.threads = 2});
  const auto out = s.zeros<double>({16});
  constexpr int rounds = 20'000;
  for (int round = 0; round < rounds; ++round) {
    double x = round;
    const double y = 1;
    s.for_each({16}, [&](idx<1> i, updates<double> o) { o[i] += x + y; }, out);
    x = -5;
  }
  EXPECT_THAT(out.to_vector(), Each(rounds / 2 * (rounds + 1.0)));
}

}  // namespace
}  // namespace pappus::testing
