// Checks of overflow by the option of GCC's name.
// FLAGS: -ftrapv
#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<int, int>([](int x) { return x + 1; });
}
