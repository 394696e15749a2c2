// Floats whose rounding the program may change.
// FLAGS: -frounding-math
#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<double, double>([](double x) { return x * 3 + 1; });
}
