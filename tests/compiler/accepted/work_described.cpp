// PRINTS: descriptor
// What the planner is told of the work in a call.
#include <cmath>

#include "compiler/thunks.h"

int seen_elsewhere(int x);

void kernels() {
  using thunks::element;

  // A product and what reads and writes it.
  // CHECK: {{.*}}"counts":[{"sides":[],"simple":0.0,"wide":3.0,"divisions":0.0,"maths":0.0}]{{.*}}
  element<float, float>([](float x) { return x * x; });

  // CHECK-NEXT: {{.*}}"divisions":2.0,"maths":3.0}]{{.*}}"vector_maths":["exp","pow"]}}
  element<float, float>([](float x) { return std::exp(x) + std::pow(x, x) / std::sqrt(x); });

  // Rounds of loops that are constant multiply.
  // CHECK-NEXT: {{.*}}"divisions":2{{[01][0-9]\..*}}"assumed":false,{{.*}}
  element<float, float>([](float x) {
    for (int i = 0; i < 10; ++i)
      for (int j = 0; j < 20; ++j) x = 1 / (x + 1);
    return x;
  });

  // What depends on a shared collection's rows is told beside them.
  // CHECK-NEXT: {{.*}}{"sides":[0],"simple":0.0,"wide":{{[345]\..}},"divisions":1.0,{{.*}}
  thunks::with_side<float, float, float>([](float x, std::span<const float> side) {
    float sum = 0;
    for (const float y : side) sum += y / x;
    return sum;
  });

  // CHECK-NEXT: {{.*}}{"sides":[0,0],"simple":0.0,"wide":{{[3-6]\..}},"divisions":0.9,{{.*}}
  thunks::with_side<float, float, float>([](float x, std::span<const float> side) {
    float sum = 0;
    for (const float y : side)
      for (const float z : side) sum += (y + z) / x;
    return sum;
  });

  // CHECK-NEXT: {{.*}}"assumed":true,"unseen":false,{{.*}}
  element<int, unsigned>([](unsigned n) {
    int steps = 0;
    for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
  });

  // CHECK-NEXT: {{.*}}"unseen":true,{{.*}}
  element<int, int>([](int x) { return seen_elsewhere(x); });
}
// CHECK-NOT: {{.}}
