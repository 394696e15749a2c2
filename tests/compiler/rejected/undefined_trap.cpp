// UndefinedBehaviorSanitizer without its library.
// FLAGS: -fsanitize=undefined -fsanitize-trap=undefined
#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<int, int>([](int x) { return x + 1; });
}
