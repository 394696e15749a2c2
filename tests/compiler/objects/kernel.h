// A function that two translation units have: one slot after linking.
#pragma once

#include "compiler/thunks.h"

inline const char* shared_descriptor() {
  static const auto* slot = thunks::element<int, int>([](int x) { return 3 * x; });
  return slot->compiled;
}
