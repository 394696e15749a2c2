// FLAGS: -g
// PRINTS: footprint
// Names of the source where there are several, and where they are those of indices.
#include "compiler/footprints.h"

using pappus::index;
using pappus::read;
using pappus::write;
using thunks::launched;

struct box {
  long low, high;
};

void kernels(box whole, const box& other, int j, index<1> start) {
  // CHECK: read in[x-whole.high], write out[x]
  launched<1, read<float>, write<float>>(
      [whole](index<1> x, read<float> in, write<float> out) { out[x] = in[x - whole.high]; });

  // CHECK-NEXT: read in[x-other.high], write out[x]
  launched<1, read<float>, write<float>>(
      [&other](index<1> x, read<float> in, write<float> out) { out[x] = in[x - other.high]; });

  // CHECK-NEXT: read in[p[0]+j,p[1]], write out[p[0],p[1]]
  launched<2, read<float, 2>, write<float, 2>>(
      [j](index<2> p, read<float, 2> in, write<float, 2> out) { out[p] = in(p[0] + j, p[1]); });

  // CHECK-NEXT: read in[x+start], write out[x]
  launched<1, read<float>, write<float>>(
      [start](index<1> x, read<float> in, write<float> out) { out[x] = in[x + start]; });

  // CHECK-NEXT: read in[x+2*scale], write out[x]
  launched<1, read<float>, write<float>>(
      [scale = j + 1](index<1> x, read<float> in, write<float> out) {
        out[x] = in[x + 2 * scale];
      });
}
// CHECK-NOT: {{.}}
