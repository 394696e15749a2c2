// PRINTS: descriptor
// How functions compute with floats, for tools.
#include "compiler/thunks.h"

void kernels() {
  // CHECK: {{.*}}"floats":"strict","doubles":false{{.*}}
  thunks::element<float, float>([](float x) { return x * x + 1; });
  // CHECK-NEXT: {{.*}}"floats":"none","doubles":false{{.*}}
  thunks::element<int, int>([](int x) { return x * x + 1; });
}
