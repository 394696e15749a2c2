#include "compiler/objects/kernel.h"

const char* shared_without_plugin() { return shared_descriptor(); }

const char* own_without_plugin(int k) {
  return thunks::element<int, int>([k](int x) { return x - k; })->compiled;
}
