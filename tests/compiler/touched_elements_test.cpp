// Footprints of real functions, held against what the functions do.
#include "compiler/touched_elements.h"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

#include "pappus/view.h"

namespace pappus::testing {
namespace {

using values = made_up_values;

class footprints : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef PAPPUS_TEST_LAMBDAS_ON_OPENCL
    GTEST_SKIP() << "built without the compiler plugin";
#endif
  }
};

TEST_F(footprints, of_stencils_hold) {
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const int left = has(in, i - 1) ? in[i - 1] : 0, right = has(in, i + 1) ? in[i + 1] : 0;
      out[i] = left + right;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [w = v.width](idx<1> i, auto in, auto out) {
      int sum = 0;
      for (int j = -w; j <= w; ++j)
        if (has(in, i + j)) sum += in[i + j];
      out[i] = sum;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [&w = v.factor](idx<1> i, auto in, auto out) {
      int sum = 0;
      for (long j = std::max(i - w, 0l); j <= std::min(i + w, in.extent(0) - 1); ++j) sum += in[j];
      out[i] = sum;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [r = v.byte](idx<1> i, auto in, auto out) {
      int sum = 0;
      for (int d = 1; d <= r; ++d) {
        if (has(in, i - d)) sum += in[i - d];
        if (has(in, i + d)) sum += in[i + d];
      }
      out[i] = sum;
    };
  });
  expect_honest<2, reads<int, 2>, writes<int, 2>>([](const values&) {
    return [](idx<2> p, auto in, auto out) {
      int sum = has(in, p[0], p[1]) ? in[p] : 0;
      if (has(in, p[0] - 1, p[1])) sum += in(p[0] - 1, p[1]);
      if (has(in, p[0] + 1, p[1])) sum += in(p[0] + 1, p[1]);
      if (has(in, p[0], p[1] - 1)) sum += in(p[0], p[1] - 1);
      if (has(in, p[0], p[1] + 1)) sum += in(p[0], p[1] + 1);
      out[p] = sum;
    };
  });
  expect_honest<2, reads<int, 2>, writes<int, 2>>([](const values& v) {
    return [at = v.corner](idx<2> p, auto in, auto out) {
      int sum = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          const auto q = p + idx<2>(y, x) - at;
          if (has(in, q[0], q[1])) sum += in[q];
        }
      out[p] = sum;
    };
  });
  expect_honest<3, reads<int, 3>, writes<int, 3>>([](const values&) {
    return [](idx<3> p, auto in, auto out) {
      int sum = 0;
      for (int d = -1; d <= 1; ++d) {
        if (has(in, p[0] + d, p[1], p[2])) sum += in(p[0] + d, p[1], p[2]);
        if (has(in, p[0], p[1] + d, p[2])) sum += in(p[0], p[1] + d, p[2]);
        if (has(in, p[0], p[1], p[2] + d)) sum += in(p[0], p[1], p[2] + d);
      }
      out[p] = sum;
    };
  });
}

TEST_F(footprints, of_clamped_and_cyclic_indices_hold) {
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const auto last = in.extent(0) - 1;
      out[i] = in[std::clamp(i - 2, 0l, last)] + in[std::min(i + 1, last)];
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const auto end = static_cast<std::size_t>(in.extent(0));
      const auto at = static_cast<std::size_t>(i);
      out[i] = in[std::min(at + 1, end - 1)] + in[std::min(std::max<std::size_t>(at, 1), end) - 1];
    };
  });
  // i - 1 and i - 2 are large numbers in the first calls.
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.size](idx<1> i, auto in, auto out) {
      const auto at = std::min<std::size_t>(i - 1, n);
      out[i] = has(in, at) ? in[at] : 0;
    };
  });
  expect_honest<1, reads<int>, writes<int>>(
      [](const values&) {
        return [](idx<1> i, auto in, auto out) {
          const auto at = static_cast<std::size_t>(i - 2) / 3 * 3 + 4;
          out[i] = has(in, at) ? in[at] : 0;
        };
      },
      1);
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](int i, auto in, auto out) {
      const int n = static_cast<int>(in.extent(0));
      out[i] = in[std::min(i, n - 1)] + in[std::max(std::min(i + 3, n) - 4, 0)];
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const auto n = in.extent(0);
      if (i >= n) return;
      out[i] = in[i == 0 ? n - 1 : i - 1] + in[i == n - 1 ? 0 : i + 1];
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) { out[i] = in[(i + 1) % in.extent(0)]; };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.factor, low = v.low](idx<1> i, auto in, auto out) {
      const auto at = (i + low) % n;
      out[i] = has(in, at) ? in[at] : 0;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.size](idx<1> i, auto in, auto out) {
      const auto at = static_cast<std::size_t>(i) % n;
      out[i] = has(in, at) ? in[at] : 0;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](unsigned i, auto in, auto out) { out[i] = has(in, i % 8) ? in[i % 8] : 0; };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const auto mixed = static_cast<std::uint64_t>(i - 5) % 8 + ((i - 3) & 3);
      out[i] = has(in, mixed) ? in[mixed] : 0;
    };
  });
}

TEST_F(footprints, of_strides_divisions_and_shifts_hold) {
  const auto half = [](const values&, const auto& arrays) {
    return regions::point{arrays.back().high[0] / 2};
  };
  expect_honest<1, reads<int>, writes<int>>(
      [](const values&) {
        return [](idx<1> i, auto in, auto out) {
          out[2 * i] = has(in, 3 * i + 2) ? in[3 * i + 2] : 0;
          out[2 * i + 1] = has(in, 3 * i) ? in[3 * i] : 0;
        };
      },
      0, half);
  expect_honest<1, reads<int>, writes<int>>(
      [](const values&) { return [](idx<1> i, auto, auto out) { out[2 * i] = 1; }; }, 0, half);
  expect_honest<1, reads<int>, writes<int>>(
      [](const values& v) {
        return [k = v.factor](idx<1> i, auto in, auto out) {
          for (long j = 0; j < k; ++j) out[i * k + j] = has(in, i / k) ? in[i / k] : 0;
        };
      },
      0,
      [](const values& v, const auto& arrays) {
        return regions::point{arrays.back().high[0] / v.factor};
      });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [k = v.divisor](unsigned i, auto in, auto out) {
      out[i] = has(in, i / k + i % k) ? in[i / k + i % k] : 0;
    };
  });
  expect_honest<1, reads<int>, updates<int>>([](const values& v) {
    return [low = v.low, k = v.factor](idx<1> i, auto in, auto sums) {
      const auto at = (i - low) / k;
      if (has(sums, at) && has(in, i)) sums[at] += in[i];
    };
  });
  expect_honest<2, reads<int, 2>, updates<int, 2>>([](const values& v) {
    return [low = v.corner, k = v.divisor](idx<2> p, auto slide, auto view) {
      const auto at = (p - low) / k;
      if (has(view, at[0], at[1]) && has(slide, p[0], p[1])) view[at] += slide[p];
    };
  });
  // Where the condition holds what is divided isn't negative.
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const int parent = i > 0 && has(in, (i - 1) / 2) ? in[(i - 1) / 2] : 0;
      out[i] = parent + (has(in, 2 * i + 1) ? in[2 * i + 1] : 0);
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [b = v.byte % 3](idx<1> i, auto in, auto out) {
      const auto a = (i - 3) >> 1, c = (i + 1) << b, d = i >> b;
      out[i] = (has(in, a) ? in[a] : 0) + (has(in, c) ? in[c] : 0) + (has(in, d) ? in[d] : 0);
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [bits = v.low](idx<1> i, auto in, auto out) {
      const auto a = i ^ 1, b = i | bits, c = i & bits, d = i ^ bits;
      out[i] = (has(in, a) ? in[a] : 0) + (has(in, b) ? in[b] : 0) + (has(in, c) ? in[c] : 0) +
               (has(in, d) ? in[d] : 0);
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.factor, k = v.low](idx<1> i, auto in, auto out) {
      const auto a = i * i - k, b = i * n * n + k * k, c = i - i % n;
      out[i] = (has(in, a) ? in[a] : 0) + (has(in, b) ? in[b] : 0) + (has(in, c) ? in[c] : 0);
    };
  });
}

TEST_F(footprints, of_captured_numbers_of_all_kinds_hold) {
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [s = v.step, u = v.divisor, b = v.byte, flag = v.flag](idx<1> i, auto in, auto out) {
      const auto a = i + s, c = i - u, d = i + b - 100, e = i + flag;
      out[i] = (has(in, a) ? in[a] : 0) + (has(in, c) ? in[c] : 0) + (has(in, d) ? in[d] : 0) +
               (has(in, e) ? in[e] : 0);
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [&s = v.step, &b = v.byte, &u = v.divisor](int i, auto in, auto out) {
      const int a = i + 2 * s - b % 4;
      const unsigned c = static_cast<unsigned>(i) + u;
      out[i] = (has(in, a) ? in[a] : 0) + (has(in, c) ? in[c] : 0);
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.n](idx<1> i, auto in, auto out) {
      const auto a = i + n, b = i + static_cast<unsigned>(n) - 1;
      out[i] = (has(in, a) ? in[a] : 0) + (has(in, b) ? in[b] : 0);
    };
  });
  expect_honest<1, reads<int>, writes<int>>(
      [](const values& v) {
        return [&at = v.offsets, maybe = v.maybe](idx<1> i, auto in, auto out) {
          int sum = 0;
          for (int k = 0; k < 2; ++k)
            if (has(in, i + at[static_cast<std::size_t>(k)]))
              sum += in[i + at[static_cast<std::size_t>(k)]];
          if (maybe != nullptr && has(in, i - *maybe)) sum += in[i - *maybe];
          out[i] = sum;
        };
      },
      1);
}

TEST_F(footprints, of_rows_columns_and_matrices_hold) {
  expect_honest<2, reads<int, 2>, writes<int, 2>>([](const values&) {
    return [](idx<2> p, auto in, auto out) { out[p] = has(in, p[1], p[0]) ? in(p[1], p[0]) : 0; };
  });
  expect_honest<3, reads<int, 3>, writes<int, 3>>([](const values&) {
    return [](idx<3> p, auto in, auto out) {
      out[p] = has(in, p[2], p[0], p[1]) ? in(p[2], p[0], p[1]) : 0;
    };
  });
  expect_honest<2, reads<int, 2>, reads<int, 2>, writes<int, 2>>([](const values&) {
    return [](idx<2> p, auto a, auto b, auto c) {
      int sum = 0;
      for (long k = 0; k < a.extent(1); ++k)
        if (has(a, p[0], k) && has(b, k, p[1])) sum += a(p[0], k) * b(k, p[1]);
      c[p] = sum;
    };
  });
  expect_honest<2, reads<int>, reads<int>, writes<int, 2>>([](const values& v) {
    return [n = v.width](idx<2> p, auto a, auto b, auto c) {
      c[p] = 0;
      for (int k = 0; k < n; ++k)
        if (has(a, p[0] * n + k) && has(b, k * n + p[1])) c[p] += a[p[0] * n + k] * b[k * n + p[1]];
    };
  });
  expect_honest<1, writes<int, 2>>([](const values&) {
    return [](idx<1> i, auto out) {
      for (long j = 0; j < out.extent(1); ++j) out(i, out.extent(1) - 1 - j) = 1;
    };
  });
  expect_honest<1, writes<int, 3>>([](const values& v) {
    return [m = v.factor](idx<1> i, auto out) {
      for (long j = 0; j < out.extent(1); ++j)
        for (long k = 0; k < std::min(m, out.extent(2)); ++k) out(i, j, k) = 1;
    };
  });
  expect_honest<1, reads<int, 2>, writes<int, 2>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      if (has(out, i, i)) out(i, i) = has(in, i, in.extent(1) - 1 - i) ? 1 : 0;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      const auto mirrored = out.extent(0) - 1 - i, beside = in.extent(0) - out.extent(0) + i;
      out[mirrored] = has(in, beside) ? in[beside] : 0;
    };
  });
}

TEST_F(footprints, of_loops_of_all_kinds_hold) {
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.size](idx<1> i, auto in, auto out) {
      int sum = 0;
      for (std::size_t j = 0; j < n; j += 4)
        if (has(in, j)) sum += in[j];
      for (auto j = n; j-- > 0;)
        if (has(in, j + 12)) sum += in[j + 12];
      out[i] = sum;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.n](idx<1> i, auto in, auto out) {
      int sum = 0;
      for (int jj = 0; jj < n; jj += 8)
        for (int j = jj; j < jj + 8; ++j)
          if (has(in, j)) sum += in[j];
      out[i] = sum;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.n](idx<1> i, auto in, auto out) {
      int sum = 0, j = 0;
      do
        if (has(in, j)) sum += in[j];
      while (++j < n);
      out[i] = sum;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values& v) {
    return [n = v.n, step = v.step](idx<1> i, auto in, auto out) {
      int sum = 0;
      for (int k = 0; k < n; ++k)
        if (has(in, i + k * step)) sum += in[i + k * step];
      out[i] = sum;
    };
  });
  expect_honest<2, reads<int, 2>, writes<int, 2>>([](const values&) {
    return [](idx<2> p, auto in, auto out) {
      int sum = 0;
      for (long j = 0; j <= p[0]; ++j)
        for (long k = j; k > p[1]; k -= 2)
          if (has(in, j, k)) sum += in(j, k);
      out[p] = sum;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      auto j = i + 0;
      while (has(in, j) && in[j] > 0) ++j;
      out[i] = static_cast<int>(j);
    };
  });
  expect_honest<1, reads<int>, writes<int>>(
      [](const values&) {
        return [](idx<1> i, auto in, auto out) {
          auto j = has(in, i) ? i + 0 : 0;
          for (int k = 0; k < 3; ++k) {
            const int next = in[j];
            if (has(in, next)) j = next;
          }
          out[i] = static_cast<int>(j);
        };
      },
      1);
}

TEST_F(footprints, of_what_is_only_sometimes_written_hold) {
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      if (has(in, i) && in[i] > 0) out[i] = 1;
    };
  });
  expect_honest<1, reads<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      if (has(in, i) && in[i] > 0)
        out[i] = 1;
      else
        out[i] = 2;
    };
  });
  expect_honest<1, reads<int>, writes<int, 2>>([](const values&) {
    return [](idx<1> i, auto in, auto out) {
      for (long j = 0; j < out.extent(1); ++j) {
        if (has(in, j) && in[j] == 2) return;
        out(i, j) = 1;
      }
    };
  });
  expect_honest<1, writes<int, 2>>([](const values& v) {
    return [n = v.width](idx<1> i, auto out) {
      for (long j = 0; j < out.extent(1); ++j)
        if (has(out, i, 2 * std::min<long>(j, n))) out(i, 2 * std::min<long>(j, n)) = 1;
    };
  });
  expect_honest<1, writes<int, 2>>([](const values& v) {
    return [n = v.width](idx<1> i, auto out) {
      if (2 * n >= out.extent(1)) return;
      for (long j = 0; j < out.extent(1); ++j) out(i, 2 * std::min<long>(j, n)) = 1;
    };
  });
  expect_honest<1, writes<int>, writes<int>>([](const values&) {
    return [](idx<1> i, auto a, auto b) {
      if (!has(a, i + 1)) return;
      (i % 2 == 0 ? a : b)[i] = 1;
      a[i + 1] = 2;
    };
  });
  expect_honest<1, updates<int>>(
      [](const values&) { return [](idx<1> i, auto a) { a[i] = i > 0 ? a[i - 1] + 1 : 0; }; });
  expect_honest<1, writes<int>>([](const values& v) {
    return [s = v.step](idx<1> i, auto out) {
      out[i] = 1;
      if (has(out, i + s)) out[i + s] = 2;
    };
  });
}

TEST_F(footprints, of_elements_that_depend_on_data_are_unknown) {
  expect_honest<1, reads<int>, reads<int>, writes<int>>(
      [](const values&) {
        return [](idx<1> i, auto at, auto in, auto out) {
          const int from = has(at, i) ? at[i] : 0;
          out[i] = has(in, from) ? in[from] : 0;
        };
      },
      1);
  expect_honest<1, reads<int>, reads<int>, writes<int>>(
      [](const values&) {
        return [](idx<1> i, auto at, auto in, auto out) {
          const int to = has(at, i) ? at[i] : 0;
          if (has(out, to)) out[to] = has(in, i) ? in[i] : 0;
        };
      },
      1);
  expect_honest<1, reads<int>, reads<int, 2>, writes<int>>([](const values&) {
    return [](idx<1> i, auto at, auto in, auto out) {
      const int from = has(at, i) ? at[i] : 0;
      out[i] = has(in, i, from) ? in(i, from) : 0;
    };
  });
  expect_honest<1, reads<int>, writes<int>>(
      [](const values& v) {
        return [n = v.divisor](idx<1> i, auto in, auto out) {
          const auto at = static_cast<unsigned>(i) * 2654435761u % n;
          out[i] = has(in, at) ? in[at] : 0;
        };
      },
      1);
}

TEST_F(footprints, that_are_wrong_are_found_out) {
  made_up_values values(1);
  const auto sum = [w = values.divisor](idx<1> i, auto in, auto out) {
    int sum = 0;
    for (long j = std::max(i - w, 0l); j <= i + w && j < in.extent(0); ++j) sum += in[j];
    out[i] = sum;
  };
  const auto& told = launch<decltype(sum), 1, reads<int>, writes<int>>::described();
  const auto lies = [&](const regions::footprint& said) {
    int found = 0;
    for (int n = 0; n < 100; ++n) {
      launch<decltype(sum), 1, reads<int>, writes<int>> one(
          sum, values.random, [](const auto& arrays) { return arrays[1].high; });
      if (!one.run(said, values_of(*told.inferred, &sum, one.arrays())).empty()) ++found;
    }
    return found;
  };
  const auto& right = told.inferred->touches;
  ASSERT_EQ(right.accesses.size(), 2u) << told.footprint;
  EXPECT_EQ(lies(right), 0);
  const auto changed = [&](std::size_t access, auto change) {
    auto wrong = right;
    change(wrong.accesses[access], wrong.accesses[access].slices[0]);
    return lies(wrong);
  };
  EXPECT_GT(changed(0, [](auto&, auto& s) { s.low = *s.low + 1; }), 50);
  EXPECT_GT(changed(0, [](auto&, auto& s) { s.high = *s.high - 1; }), 50);
  EXPECT_GT(changed(1, [](auto&, auto& s) { s.low = *s.low - 1; }), 50);
  EXPECT_GT(changed(1, [](auto&, auto& s) { s.high = *s.high + 1; }), 50);
  EXPECT_GT(changed(1, [](auto&, auto& s) { s.low = s.high = *s.high + 1; }), 50);
  EXPECT_GT(changed(1, [](auto& access, auto&) { access.mode = regions::access_mode::read; }), 50);
}

}  // namespace
}  // namespace pappus::testing
