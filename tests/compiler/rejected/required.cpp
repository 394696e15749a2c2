// A function that must run on a device: its rejection is an error.
// FAILS
#include "compiler/thunks.h"

int counter = 0;

void kernels() {
  using thunks::element;

  element<int, int>([] [[clang::annotate("pappus.device")]] (int x) { return x + 1; });

  element<int, int>([] [[clang::annotate("pappus.device")]] (int x) { return x + counter; });
}
