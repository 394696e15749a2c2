// FLAGS: -g
// PRINTS: footprint
// Rows and columns, strides, diagonals; what is written whatever happens, and what isn't.
#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::updates;
using pappus::writes;
using thunks::launched;

void matrix_product(int n) {
  // CHECK: read a[i,0:n-1], read b[0:n-1,j], write c[i,j]
  launched<2, reads<float, 2>, reads<float, 2>, writes<float, 2>>(
      [n](idx<2> p, reads<float, 2> a, reads<float, 2> b, writes<float, 2> c) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a(p[0], k) * b(k, p[1]);
        c[p] = sum;
      });
}

void matrix_product_with_extents() {
  // CHECK-NEXT: read a[i,:], read b[0:a.extent(1)-1,j], write c[i,j]
  launched<2, reads<float, 2>, reads<float, 2>, writes<float, 2>>(
      [](idx<2> p, reads<float, 2> a, reads<float, 2> b, writes<float, 2> c) {
        float sum = 0;
        for (long k = 0; k < a.extent(1); ++k) sum += a(p[0], k) * b(k, p[1]);
        c[p] = sum;
      });
}

void accumulated_in_place(int n) {
  // CHECK-NEXT: read a[i,0:n-1], read b[0:n-1,j], write c[i,j]
  launched<2, reads<float, 2>, reads<float, 2>, writes<float, 2>>(
      [n](idx<2> p, reads<float, 2> a, reads<float, 2> b, writes<float, 2> c) {
        c[p] = 0;
        for (int k = 0; k < n; ++k) c[p] += a(p[0], k) * b(k, p[1]);
      });
}

void flat_matrix_product(int n) {
  // CHECK-NEXT: read a[i*n:(i+1)*n-1], read b[j:j+n*(n-1)], write c[i,j]
  launched<2, reads<float>, reads<float>, writes<float, 2>>(
      [n](idx<2> p, reads<float> a, reads<float> b, writes<float, 2> c) {
        float sum = 0;
        for (int k = 0; k < n; ++k) sum += a[p[0] * n + k] * b[k * n + p[1]];
        c[p] = sum;
      });
}

void transposition() {
  // CHECK-NEXT: read in[j,i], write out[i,j]
  launched<2, reads<int, 2>, writes<int, 2>>(
      [](idx<2> p, reads<int, 2> in, writes<int, 2> out) { out[p] = in(p[1], p[0]); });
}

void diagonal() {
  // CHECK-NEXT: read in[i,i], readwrite out[i,i]
  launched<1, reads<int, 2>, writes<int, 2>>(
      [](idx<1> i, reads<int, 2> in, writes<int, 2> out) { out(i, i) = in(i, i); });
}

void strided() {
  // CHECK-NEXT: read in[2*i:2*i+1], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[2 * i] + in[2 * i + 1]; });
}

void strided_int() {
  // CHECK-NEXT: read in[3*i+2], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](int i, reads<int> in, writes<int> out) { out[i] = in[3 * i + 2]; });
}

void writes_every_second() {
  // CHECK-NEXT: read in[i], readwrite out[2*i]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[2 * i] = in[i]; });
}

void writes_pairs() {
  // CHECK-NEXT: read in[i], write out[2*i:2*i+1]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[2 * i] = in[i];
    out[2 * i + 1] = -in[i];
  });
}

void writes_blocks(int n) {
  // CHECK-NEXT: read in[i], write out[i*n:(i+1)*n-1]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    for (int j = 0; j < n; ++j) out[i * n + j] = in[i];
  });
}

void reversed(long n) {
  // CHECK-NEXT: read in[n-i-1], write out[i]
  launched<1, reads<int>, writes<int>>(
      [n](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[n - 1 - i]; });
}

void writes_reversed(int n) {
  // CHECK-NEXT: read in[i], write out[n-i-1]
  launched<1, reads<int>, writes<int>>(
      [n](idx<1> i, reads<int> in, writes<int> out) { out[n - 1 - i] = in[i]; });
}

void constant_element() {
  // CHECK-NEXT: read in[0], write out[i]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[0]; });
}

void all_write_one_element() {
  // CHECK-NEXT: read in[i], readwrite out[0]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[0] = in[i]; });
}

void writes_one_dimension_of_two() {
  // CHECK-NEXT: readwrite out[i]
  launched<2, writes<int>>([](idx<2> p, writes<int> out) { out[p[0]] = 1; });
}

void conditional_write() {
  // CHECK-NEXT: read in[i], readwrite out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    if (in[i] > 0) out[i] = in[i];
  });
}

void written_in_both_branches() {
  // CHECK-NEXT: read in[i], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    if (in[i] > 0)
      out[i] = in[i];
    else
      out[i] = 0;
  });
}

void early_return(int n) {
  // CHECK-NEXT: read in[i], readwrite out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    if (i >= n) return;
    out[i] = in[i];
  });
}

void writes_a_row(int n) {
  // CHECK-NEXT: write out[i,0:n-1]
  launched<1, writes<int, 2>>([n](idx<1> i, writes<int, 2> out) {
    for (int j = 0; j < n; ++j) out(i, j) = j;
  });
}

void writes_a_whole_row() {
  // CHECK-NEXT: write out[i,:]
  launched<1, writes<int, 2>>([](idx<1> i, writes<int, 2> out) {
    for (long j = 0; j < out.extent(1); ++j) out(i, j) = 0;
  });
}

void writes_part_of_a_row(int n) {
  // CHECK-NEXT: readwrite out[i,0:n-1]
  launched<1, writes<int, 2>>([n](idx<1> i, writes<int, 2> out) {
    for (int j = 0; j < n; ++j)
      if (j != 3) out(i, j) = j;
  });
}

void leaves_a_row_early(int n) {
  // CHECK-NEXT: read in[i,0:n-1], readwrite out[i,0:n-1]
  launched<1, reads<int, 2>, writes<int, 2>>([n](idx<1> i, reads<int, 2> in, writes<int, 2> out) {
    for (int j = 0; j < n; ++j) {
      if (in(i, j) == 0) break;
      out(i, j) = j;
    }
  });
}

void writes_a_triangle() {
  // CHECK-NEXT: readwrite out[i,0:i]
  launched<1, writes<int, 2>>([](idx<1> i, writes<int, 2> out) {
    for (long j = 0; j <= i; ++j) out(i, j) = 1;
  });
}

void loop_that_may_not_run(int n) {
  // CHECK-NEXT: read in[0:n-1], readwrite out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    for (int j = 0; j < n; ++j) out[i] = in[j];
  });
}

void loop_that_runs() {
  // CHECK-NEXT: read in[0:6], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    for (int j = 0; j < 7; ++j) out[i] = in[j];
  });
}

void downwards(int n) {
  // CHECK-NEXT: read in[i,0:n-1], write out[i]
  launched<1, reads<int, 2>, writes<int>>([n](idx<1> i, reads<int, 2> in, writes<int> out) {
    int sum = 0;
    for (int j = n - 1; j >= 0; --j) sum = sum * 3 + in(i, j);
    out[i] = sum;
  });
}

void every_fourth(unsigned long n) {
  // CHECK-NEXT: read in[0:4*((n-1)/4)], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    int sum = 0;
    for (unsigned long j = 0; j < n; j += 4) sum += in[j];
    out[i] = sum;
  });
}

void tested_at_the_end(int n) {
  // CHECK-NEXT: read in[0:max(1,n)-1], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    int sum = 0, j = 0;
    do sum += in[j];
    while (++j < n);
    out[i] = sum;
  });
}

void in_place() {
  // CHECK-NEXT: readwrite a[i]
  launched<1, updates<int>>([](idx<1> i, updates<int> a) { a[i] = a[i] * 2 + 1; });
}

void in_place_from_the_left() {
  // CHECK-NEXT: read a[i-1], write a[i]
  launched<1, updates<int>>([](idx<1> i, updates<int> a) { a[i] = a[i - 1]; });
}

void only_read_of_what_may_be_written() {
  // CHECK-NEXT: read a[i], write out[i]
  launched<1, updates<int>, writes<int>>(
      [](idx<1> i, updates<int> a, writes<int> out) { out[i] = a[i]; });
}

void reads_what_it_writes() {
  // CHECK-NEXT: readwrite out[i]
  launched<1, writes<int>>([](idx<1> i, writes<int> out) { out[i] += 1; });
}

// What one call writes at i + 100, another does at i.
void writes_of_two_calls(long s) {
  // CHECK-NEXT: readwrite out[i], readwrite out[i+100]
  launched<1, writes<int>>([](idx<1> i, writes<int> out) { out[i + 100] = out[i] = 1; });
  // CHECK-NEXT: readwrite out[i], readwrite out[i+s]
  launched<1, writes<int>>([s](idx<1> i, writes<int> out) { out[i + s] = out[i] = 1; });
  // CHECK-NEXT: read in[i], readwrite out[i], readwrite out[i+1]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = 1;
    if (in[i] > 0) out[i + 1] = 2;
  });
}

void columns_apart(int n) {
  // CHECK-NEXT: write out[i,0], write out[i,7]
  launched<1, writes<int, 2>>([](idx<1> i, writes<int, 2> out) { out(i, 7) = out(i, 0) = 1; });
  // CHECK-NEXT: readwrite out[i,0], readwrite out[i,n]
  launched<1, writes<int, 2>>([n](idx<1> i, writes<int, 2> out) { out(i, n) = out(i, 0) = 1; });
}

void nothing() {
  // CHECK-NEXT: nothing
  launched<1, reads<int>, writes<int>>([](idx<1>, reads<int>, writes<int>) {});
}
// CHECK-NOT: {{.}}
