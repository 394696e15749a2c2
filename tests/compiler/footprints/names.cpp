// PRINTS: footprint
// Without -g nobody knows what the source calls things; captured values are named by their place.
#include <span>

#include "compiler/footprints.h"

using pappus::index;
using pappus::read;
using pappus::write;
using thunks::launched;

struct box {
  long low, high;
};

void kernels(int w, box whole, const long& n) {
  // CHECK: read a[i-captured_0:i+captured_0], write b[i]
  launched<1, read<float>, write<float>>([w](index<1> p, read<float> in, write<float> out) {
    float sum = 0;
    for (int j = -w; j <= w; ++j) sum += in[p + j];
    out[p] = sum;
  });

  // CHECK-NEXT: read a[i-captured_8], write b[i]
  launched<1, read<float>, write<float>>(
      [whole](index<1> p, read<float> in, write<float> out) { out[p] = in[p - whole.high]; });

  // CHECK-NEXT: read a[i-captured_0_0], write b[i]
  launched<1, read<float>, write<float>>(
      [&n](index<1> p, read<float> in, write<float> out) { out[p] = in[p - n]; });

  // CHECK-NEXT: read a[k,j,i], write b[i,j,k]
  launched<3, read<float, 3>, write<float, 3>>(
      [](index<3> p, read<float, 3> in, write<float, 3> out) { out[p] = in(p[2], p[1], p[0]); });
}
// CHECK-NOT: {{.}}
