// FLAGS: -g
// PRINTS: descriptor
// What the runtime is told: formulas, and where the values in them are.
#include <cstdio>

#include "compiler/footprints.h"

using pappus::index;
using pappus::read;
using pappus::write;
using thunks::launched;

void kernels(unsigned char w, const int& n, long unused) {
  // CHECK: {{.*}}"view":0,"kind":"read",{{.*}}"region":[{"high":"i+w","low":"i-w"}]{{.*}}
  launched<1, read<float>, write<float>>([w](index<1> i, read<float> in, write<float> out) {
    out[i] = 0;
    for (long j = i - w; j <= i + w; ++j) out[i] += in[j];
  });

  // CHECK-NEXT: {{.*}}"subscript":[{"high":"i/n","low":"i/n"}]{{.*}}"path":[0,0]{{.*}}
  launched<1, read<float>, write<float>>(
      [&n](index<1> i, read<float> in, write<float> out) { out[i] = in[i / n]; });

  // CHECK-NEXT: {{.*}}"captured":[{"bytes":1,"name":"w","path":[8],"signed":false}]{{.*}}
  launched<1, read<float>, write<float>>(
      [unused, w](index<1> i, read<float> in, write<float> out) { out[i] = in[i + w] + unused; });

  // CHECK-NEXT: {{.*}}"captured":[],"narrow":true,"reasons":[],"work":{{.*}}
  launched<1, read<float>, write<float>>(
      [](int i, read<float> in, write<float> out) { out[i] = in[i + 1]; });

  // CHECK-NEXT: {{.*}}"kind":"read",{{.*}}"unknown":true}{{.*}}"reasons":[{"id":"prints"{{.*}}
  launched<1, read<int>, write<int>>(
      [](index<1> i, read<int> in, write<int> out) { out[i] = in[in[i]] + std::puts(""); });
}
// CHECK-NOT: {{.}}
