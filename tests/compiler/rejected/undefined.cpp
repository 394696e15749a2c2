// UndefinedBehaviorSanitizer's checks call its library.
// FLAGS: -fsanitize=undefined
#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<int, int>([](int x) { return x + 1; });
}
