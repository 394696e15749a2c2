// Launches that are right, compiled twice: with checks and without, as the file that includes it
// says. Names are the same in both.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "pappus/pappus.h"

namespace pappus::testing {

// A named type, so that its name is the same in both units.
struct averaged {
  std::int64_t n, m;
  void operator()(idx<2> p, reads<float, 2> in, writes<float, 2> out) const {
    const auto i = p[0], j = p[1];
    const float up = i > 0 ? in(i - 1, j) : in[p], down = i + 1 < n ? in(i + 1, j) : in[p];
    const float left = j > 0 ? in(i, j - 1) : in[p], right = j + 1 < m ? in(i, j + 1) : in[p];
    out[p] = 0.3f * in[p] + 0.175f * (up + down + left + right);
  }
};

/// Their results, in a session of so many threads.
using workload_results = std::tuple<std::vector<float>, std::vector<float>, std::vector<double>,
                                    std::vector<float>, std::vector<int>, std::vector<float>>;

namespace {  // of each unit its own

std::vector<float> stencil(session& s) {
  const std::int64_t n = 37, m = 53;
  auto a = s.zeros<float, 2>({n, m}), b = s.unwritten<float, 2>({n, m});
  a.host_write()(10, 20) = 1000;
  for (int round = 0; round < 6; ++round) {
    s.for_each({n, m},
               annotated(averaged{n, m},
                         "in, out: global [i, j] => read in[i-1:i+1,j-1:j+1], write out[i,j]"),
               a, b);
    std::swap(a, b);
  }
  return a.to_vector();
}

std::vector<float> product(session& s) {
  const std::int64_t n = 17, l = 23, m = 19;
  const auto a = s.unwritten<float, 2>({n, l}), b = s.unwritten<float, 2>({l, m});
  const auto c = s.zeros<float, 2>({n, m});
  const auto number = [](idx<2> p, writes<float, 2> a) {
    a[p] = 1 / static_cast<float>(3 * p[0] + p[1] + 1);
  };
  for (const auto& one : {a, b})
    s.for_each(one.extents(), annotated(number, "a: global [i, j] => write a[i,j]"), one);
  const auto [i, j, k] = launch_index<3>();
  s.for_each(
      {n, l, m},
      [](idx<3> p, reads<float, 2> a, reads<float, 2> b, reduces<float, 2> c) {
        c(p[0], p[2]) += a(p[0], p[1]) * b(p[1], p[2]);
      },
      a.at(i, j), b.at(j, k), c.at(i, k));
  return c.to_vector();
}

std::vector<double> sparse_product(session& s) {
  const std::int64_t n = 500;
  std::vector<std::int64_t> first{0}, column;
  std::vector<double> entry, x;
  for (std::int64_t r = 0; r < n; ++r) {
    for (std::int64_t k = 0; k < r % 7; ++k) {
      column.push_back((r * 31 + k * k * 17) % n);
      entry.push_back(1.0 / static_cast<double>(r + k + 1));
    }
    first.push_back(static_cast<std::int64_t>(column.size()));
    x.push_back(static_cast<double>(r % 13) - 6);
  }
  const auto y = s.unwritten<double>({n});
  s.for_each({n},
             annotated(
                 [](idx<1> r, reads<std::int64_t> first, reads<std::int64_t> column,
                    reads<double> entry, reads<double> x, writes<double> y) {
                   double sum = 0;
                   for (auto k = first[r]; k < first[r + 1]; ++k) sum += entry[k] * x[column[k]];
                   y[r] = sum;
                 },
                 "first, column, entry, x, y: global i => read first[i:i+1], read column[:], "
                 "read entry[:], read x[:], write y[i]"),
             s.to_array(first), s.to_array(column), s.to_array(entry), s.to_array(x), y);
  return y.to_vector();
}

std::vector<float> total(session& s) {
  const std::int64_t n = 40'000;
  const auto x = s.unwritten<float>({n}), sum = s.filled<float>({1}, 0.5F);
  s.for_each({n},
             annotated([](idx<1> i, writes<float> x) { x[i] = 1 / static_cast<float>(i % 97 + 1); },
                       "x: global i => write x[i]"),
             x);
  s.for_each({n}, [](idx<1> i, reads<float> x, reduces<float> sum) { sum[0] += x[i]; }, x, sum);
  return sum.to_vector();
}

std::vector<int> histogram(session& s) {
  const auto bins = s.zeros<int>({16});
  s.for_each({30'000}, [](idx<1> i, reduces<int> bins) { bins[i * i % 16] += 1; }, bins);
  return bins.to_vector();
}

std::vector<float> row_sums(session& s) {
  const auto sums = s.zeros<float>({5});
  s.for_each({5, 3000},
             annotated([](idx<2> p,
                          reduces<float> sums) { sums[p[0]] += 1 / static_cast<float>(p[1] + 1); },
                       "sums: global [i, j] => reduce sums[i]"),
             sums);
  return sums.to_vector();
}

workload_results all_workloads(unsigned threads) {
  session s({.threads = threads, .devices = "cpu"});
  return {stencil(s), product(s), sparse_product(s), total(s), histogram(s), row_sums(s)};
}

/// Reads an element that an annotation doesn't name.
void launch_wrongly(session& s) {
  const auto in = s.filled<float, 2>({9, 9}, 1), out = s.zeros<float, 2>({9, 9});
  s.for_each(
      {9, 9},
      annotated(averaged{9, 9}, "in, out: global [i, j] => read in[i-1:i+1,j], write out[i,j]"), in,
      out);
}

}  // namespace

}  // namespace pappus::testing
