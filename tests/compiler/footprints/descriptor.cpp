// FLAGS: -g
// PRINTS: descriptor
// What the runtime is told: formulas, and where the values in them are.
#include <cstdio>

#include "compiler/footprints.h"

using pappus::idx;
using pappus::reads;
using pappus::writes;
using thunks::launched;

void kernels(unsigned char w, const int& n, long unused) {
  // CHECK: {{.*}}"view":0,"kind":"read",{{.*}}"region":[{"low":"- i0 s0","high":"+ i0 s0"}]{{.*}}
  launched<1, reads<float>, writes<float>>([w](idx<1> i, reads<float> in, writes<float> out) {
    out[i] = 0;
    for (long j = i - w; j <= i + w; ++j) out[i] += in[j];
  });

  // CHECK-NEXT: {{.*}}"region":[{"low":"/ i0 s0","high":"/ i0 s0"}]{{.*}}"path":[0,0]{{.*}}
  launched<1, reads<float>, writes<float>>(
      [&n](idx<1> i, reads<float> in, writes<float> out) { out[i] = in[i / n]; });

  // CHECK-NEXT: {{.*}}"symbols":[{"name":"w","path":[8],"bytes":1,"signed":false}]{{.*}}
  launched<1, reads<float>, writes<float>>(
      [unused, w](idx<1> i, reads<float> in, writes<float> out) { out[i] = in[i + w] + unused; });

  // CHECK-NEXT: {{.*}}"signed":true},{"name":"w","path":[0],"bytes":1,"signed":false}]{{.*}}
  launched<1, reads<float>, writes<float>>([w](idx<1> i, reads<float> in, writes<float> out) {
    out[i] = in[i + w] + in[i + static_cast<signed char>(w)];
  });

  // CHECK-NEXT: {{.*}}[{"low":"0","high":"- s0 1"}]{{.*}},{}]{{.*}}"view":1,"dimension":1}]{{.*}}
  launched<1, reads<float>, writes<float, 2>>([](idx<1> i, reads<float> in, writes<float, 2> out) {
    for (long j = 0; j < out.extent(1); ++j) out(i, j) = in[j];
  });

  // CHECK-NEXT: {{.*}}"symbols":[],"narrow":true,"references":[],"reasons":[],"work":{{.*}}
  launched<1, reads<float>, writes<float>>(
      [](int i, reads<float> in, writes<float> out) { out[i] = in[i + 1]; });

  // CHECK-NEXT: {{.*}}"kind":"read",{{.*}}"unknown":true}{{.*}}"reasons":[{"id":"prints"{{.*}}
  launched<1, reads<int>, writes<int>>(
      [](idx<1> i, reads<int> in, writes<int> out) { out[i] = in[in[i]] + std::puts(""); });
}
// CHECK-NOT: {{.}}
