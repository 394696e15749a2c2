// FLAGS: -g
// PRINTS: footprint
// Loops of all kinds: where a counter goes, and whether what they write is certain.
#include <algorithm>

#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::updates;
using pappus::writes;
using thunks::launched;

void periodic(int n) {
  // CHECK: read in[n-1], read in[i-1:i+1], read in[0], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[i == 0 ? n - 1 : i - 1] + in[i == n - 1 ? 0 : i + 1];
  });
}

void periodic_within_extents() {
  // CHECK-NEXT: read in[i-1], read in[in.extent(0)-1], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    out[i] = in[i == 0 ? in.extent(0) - 1 : i - 1];
  });
}

void tiled(int n) {
  // CHECK-NEXT: read in[0:8*((n-1)/8)+7], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    int sum = 0;
    for (int jj = 0; jj < n; jj += 8)
      for (int j = jj; j < jj + 8; ++j) sum += in[j];
    out[i] = sum;
  });
}

void unsigned_that_may_begin_above_its_end(long w) {
  // CHECK-NEXT: read in[i-w:i+w], readwrite out[i,i-w:i+w]
  launched<1, reads<int>, writes<int, 2>>([w](idx<1> i, reads<int> in, writes<int, 2> out) {
    for (auto j = static_cast<unsigned long>(i - w); j <= static_cast<unsigned long>(i + w); ++j)
      out(i, j) = in[j];
  });
}

void counted_down(unsigned long n) {
  // CHECK-NEXT: read in[0:n-1], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    int sum = 0;
    for (auto j = n; j-- > 0;) sum = 3 * sum + in[j];
    out[i] = sum;
  });
}

void two_ends(int n, int m) {
  // CHECK-NEXT: read in[0:n-1], readwrite out[i,0:n-1]
  launched<1, reads<int>, writes<int, 2>>([n, m](idx<1> i, reads<int> in, writes<int, 2> out) {
    for (int j = 0; j < n && j < m; ++j) out(i, j) = in[j];
  });
}

void reads_a_triangle(int n) {
  // CHECK-NEXT: read in[0:n-1,0:n-1], write out[i]
  launched<1, reads<int, 2>, writes<int>>([n](idx<1> i, reads<int, 2> in, writes<int> out) {
    int sum = 0;
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= j; ++k) sum += in(j, k);
    out[i] = sum;
  });
}

void writes_a_triangle(int n) {
  // CHECK-NEXT: readwrite out[i,0:n-1,0:n-1]
  launched<1, writes<int, 3>>([n](idx<1> i, writes<int, 3> out) {
    for (int j = 0; j < n; ++j)
      for (int k = 0; k <= j; ++k) out(i, j, k) = 0;
  });
}

void writes_a_plane(int n, int m) {
  // CHECK-NEXT: write out[i,0:n-1,0:m-1]
  launched<1, writes<int, 3>>([n, m](idx<1> i, writes<int, 3> out) {
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < m; ++k) out(i, j, k) = 0;
  });
}

void writes_a_row_mirrored(int n) {
  // CHECK-NEXT: write out[i,0:n-1]
  launched<1, writes<int, 2>>([n](idx<1> i, writes<int, 2> out) {
    for (int j = 0; j < n; ++j) out(i, n - 1 - j) = j;
  });
}

void writes_a_row_on_a_condition(int n, int m) {
  // CHECK-NEXT: readwrite out[i,0:n-1]
  launched<1, writes<int, 2>>([n, m](idx<1> i, writes<int, 2> out) {
    if (m > 3)
      for (int j = 0; j < n; ++j) out(i, j) = 0;
  });
}

void leaves_elements_out(int n) {
  // CHECK-NEXT: read in[0:n-1], readwrite out[i,0:n-1]
  launched<1, reads<int>, writes<int, 2>>([n](idx<1> i, reads<int> in, writes<int, 2> out) {
    for (int j = 0; j < n; ++j) {
      if (in[j] == 2) continue;
      out(i, j) = 0;
    }
  });
}

void returns_from_a_loop(int n) {
  // CHECK-NEXT: read in[0:3], readwrite out[i,0:n-1]
  launched<1, reads<int>, writes<int, 2>>([n](idx<1> i, reads<int> in, writes<int, 2> out) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < 4; ++k)
        if (in[k] == 7) return;
      out(i, j) = 0;
    }
  });
}

void skips_elements(int n, long most) {
  // CHECK-NEXT: readwrite out[i,2*min(0,most):2*min(most,n-1)]
  launched<1, writes<int, 2>>([n, most](idx<1> i, writes<int, 2> out) {
    for (long j = 0; j < n; ++j) out(i, 2 * std::min(j, most)) = 1;
  });
}

void same_counter_twice(int n) {
  // CHECK-NEXT: readwrite out[0:n-1,0:n-1]
  launched<1, writes<int, 2>>([n](idx<1>, writes<int, 2> out) {
    for (int j = 0; j < n; ++j) out(j, j) = 1;
  });
}

void captured_step(int n, int step) {
  // CHECK-NEXT: read in[min(i,i+(n-1)*step):max(i,i+(n-1)*step)], write out[i]
  launched<1, reads<int>, writes<int>>([n, step](idx<1> i, reads<int> in, writes<int> out) {
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += in[i + k * step];
    out[i] = sum;
  });
}

void until_a_value() {
  // CHECK-NEXT: read in[unknown], write out[i]
  launched<1, reads<int>, writes<int>>([](idx<1> i, reads<int> in, writes<int> out) {
    auto j = i + 0;
    while (in[j] != 0) ++j;
    out[i] = static_cast<int>(j);
  });
}

void a_sum_of_counters(int n) {
  // CHECK-NEXT: readwrite out[unknown]
  launched<1, writes<int>>([n](idx<1> i, writes<int> out) {
    auto j = i + 0;
    for (int k = 0; k < n; ++k) j += k;
    out[j] = 1;
  });
}

void throws_behind_the_end(int n) {
  // CHECK-NEXT: read in[i], write out[i]
  launched<1, reads<int>, writes<int>>([n](idx<1> i, reads<int> in, writes<int> out) {
    if (i >= n) throw "behind the end";
    out[i] = in[i];
  });
}

void chosen_when_written() {
  // CHECK-NEXT: read in[i], readwrite out[i], readwrite out[0]
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[in[i] > 0 ? i + 0 : 0] = 1; });
}

void cyclic_when_written(int n) {
  // CHECK-NEXT: readwrite out[i%n]
  launched<1, writes<int>>([n](idx<1> i, writes<int> out) { out[i % n] = 1; });
}
// CHECK-NOT: {{.}}
