// FLAGS: -g
// PRINTS: footprint
// Views through which indices reduce: whatever is done with an element, it is reduced.
#include <algorithm>

#include "compiler/footprints.h"
#include "pappus/reduces.h"

using pappus::idx;
using pappus::reads;
using pappus::reduces;
using pappus::smallest;
using pappus::writes;
using thunks::launched;
namespace reducers = pappus::reducers;

void matrix_product() {
  // CHECK: read a[i,j], read b[j,k], reduce c[i,k]
  launched<3, reads<float, 2>, reads<float, 2>, reduces<float, 2>>(
      [](idx<3> p, reads<float, 2> a, reads<float, 2> b, reduces<float, 2> c) {
        c(p[0], p[2]) += a(p[0], p[1]) * b(p[1], p[2]);
      });
}

void total() {
  // CHECK-NEXT: read x[i], reduce sum[0]
  launched<1, reads<double>, reduces<double>>(
      [](idx<1> i, reads<double> x, reduces<double> sum) { sum[0] += x[i]; });
}

void histogram() {
  // CHECK-NEXT: read bin[i], reduce h[unknown]
  launched<1, reads<int>, reduces<int>>(
      [](idx<1> i, reads<int> bin, reduces<int> h) { h[bin[i]] += 1; });
}

void least_of_a_row() {
  // CHECK-NEXT: read x[i,j], reduce low[i]
  launched<2, reads<float, 2>, reduces<smallest<float>>>(
      [](idx<2> p, reads<float, 2> x, reduces<smallest<float>> low) {
        low[p[0]].accumulate(x[p]);
      });
}

void mean_of_a_column() {
  // CHECK-NEXT: read x[i,j], reduce mean[j]
  launched<2, reads<float, 2>, reduces<reducers::mean<float>>>(
      [](idx<2> p, reads<float, 2> x, reduces<reducers::mean<float>> mean) {
        mean[p[1]].accumulate(x[p]);
      });
}

void shrunk(int k) {
  // CHECK-NEXT: read x[i,j], reduce y[i/k,j/k]
  launched<2, reads<float, 2>, reduces<float, 2>>(
      [k](idx<2> p, reads<float, 2> x, reduces<float, 2> y) { y[p / k] += x[p]; });
}

void both_ends_of_an_edge(long n) {
  // CHECK-NEXT: read x[i], reduce y[i:i+1], reduce y[n-i-1]
  launched<1, reads<float>, reduces<float>>([n](idx<1> i, reads<float> x, reduces<float> y) {
    y[i] += x[i];
    y[i + 1] += x[i];
    y[n - 1 - i] += x[i];
  });
}

void where_it_is_positive() {
  // CHECK-NEXT: read x[i], write out[i], reduce sum[0]
  launched<1, reads<float>, writes<float>, reduces<float>>(
      [](idx<1> i, reads<float> x, writes<float> out, reduces<float> sum) {
        out[i] = x[i];
        if (x[i] > 0) sum[0] += x[i];
      });
}

void state_that_is_looked_at() {
  // CHECK-NEXT: read x[i], write out[i], reduce count[0]
  launched<1, reads<float>, writes<float>, reduces<reducers::count>>(
      [](idx<1> i, reads<float> x, writes<float> out, reduces<reducers::count> count) {
        out[i] = x[i] + static_cast<float>(count[0].n);
      });
}

void state_that_is_replaced() {
  // CHECK-NEXT: reduce count[i]
  launched<1, reduces<reducers::count>>(
      [](idx<1> i, reduces<reducers::count> count) { count[i].n = 1; });
}

void in_a_loop(long n) {
  // CHECK-NEXT: read x[i,0:n-1], reduce y[0:n-1]
  launched<1, reads<float, 2>, reduces<float>>([n](idx<1> i, reads<float, 2> x, reduces<float> y) {
    for (long j = 0; j < n; ++j) y[j] += x(i, j);
  });
}

void not_at_all() {
  // CHECK-NEXT: read x[i], write out[i]
  launched<1, reads<float>, writes<float>, reduces<float>>(
      [](idx<1> i, reads<float> x, writes<float> out, reduces<float>) { out[i] = x[i]; });
}

__attribute__((noinline)) void add_outside(const reduces<float>& to, long i) { to[i] += 1; }

void by_another_function() {
  // CHECK-NEXT: reduce to[i]
  launched<1, reduces<float>>([](idx<1> i, reduces<float> to) { add_outside(to, i); });
}
