// FLAGS: -DPAPPUS_FAST_FLOATS
// PRINTS: descriptor
// The same with fast floats.
#include "compiler/thunks.h"

void kernels() {
  // CHECK: {{.*}}"floats":"fast","doubles":false{{.*}}
  thunks::element<float, float>([](float x) { return x * x + 1; });
  // CHECK-NEXT: {{.*}}"floats":"none","doubles":false{{.*}}
  thunks::element<int, int>([](int x) { return x * x + 1; });
}
