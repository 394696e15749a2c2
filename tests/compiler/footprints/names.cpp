// PRINTS: footprint
// Without -g nobody knows what the source calls things; captured values are named by their place.
#include <span>

#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::writes;
using thunks::launched;

struct box {
  long low, high;
};

void kernels(int w, box whole, const long& n) {
  // CHECK: read a[i-captured_0:i+captured_0], write b[i]
  launched<1, reads<float>, writes<float>>([w](idx<1> p, reads<float> in, writes<float> out) {
    float sum = 0;
    for (int j = -w; j <= w; ++j) sum += in[p + j];
    out[p] = sum;
  });

  // CHECK-NEXT: read a[i-captured_8], write b[i]
  launched<1, reads<float>, writes<float>>(
      [whole](idx<1> p, reads<float> in, writes<float> out) { out[p] = in[p - whole.high]; });

  // CHECK-NEXT: read a[i-captured_0_0], write b[i]
  launched<1, reads<float>, writes<float>>(
      [&n](idx<1> p, reads<float> in, writes<float> out) { out[p] = in[p - n]; });

  // CHECK-NEXT: read a[k,j,i], write b[i,j,k]
  launched<3, reads<float, 3>, writes<float, 3>>(
      [](idx<3> p, reads<float, 3> in, writes<float, 3> out) { out[p] = in(p[2], p[1], p[0]); });
}
// CHECK-NOT: {{.}}
