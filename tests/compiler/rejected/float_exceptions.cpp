// Floats whose flags the program may read.
// FLAGS: -ffp-exception-behavior=strict
#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<double, double>([](double x) { return x * 3 + 1; });
}
