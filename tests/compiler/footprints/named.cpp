// FLAGS: -g
// PRINTS: footprint
// Names of the source where there are several, and where they are those of indices.
#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::writes;
using thunks::launched;

struct box {
  long low, high;
};

void kernels(box whole, const box& other, int j, idx<1> start) {
  // CHECK: read in[x-whole.high], write out[x]
  launched<1, reads<float>, writes<float>>(
      [whole](idx<1> x, reads<float> in, writes<float> out) { out[x] = in[x - whole.high]; });

  // CHECK-NEXT: read in[x-other.high], write out[x]
  launched<1, reads<float>, writes<float>>(
      [&other](idx<1> x, reads<float> in, writes<float> out) { out[x] = in[x - other.high]; });

  // CHECK-NEXT: read in[p[0]+j,p[1]], write out[p[0],p[1]]
  launched<2, reads<float, 2>, writes<float, 2>>(
      [j](idx<2> p, reads<float, 2> in, writes<float, 2> out) { out[p] = in(p[0] + j, p[1]); });

  // CHECK-NEXT: read in[x+start], write out[x]
  launched<1, reads<float>, writes<float>>(
      [start](idx<1> x, reads<float> in, writes<float> out) { out[x] = in[x + start]; });

  // CHECK-NEXT: read in[x+2*scale], write out[x]
  launched<1, reads<float>, writes<float>>(
      [scale = j + 1](idx<1> x, reads<float> in, writes<float> out) {
        out[x] = in[x + 2 * scale];
      });
}
// CHECK-NOT: {{.}}
