// A library that is unloaded takes its descriptors along. Prints what is wrong; all is well if it
// prints nothing.
#include <dlfcn.h>

#include <cstdio>

#include "compiler/objects/kernel.h"

int main() {
  int wrong = 0;
  const auto expect = [&](const char* when, bool wanted) {
    if ((shared_descriptor() != nullptr) != wanted)
      wrong += std::printf("unloaded: %s: %s\n", when, wanted ? "no descriptor" : "a descriptor");
  };
  expect("before", false);
  void* first = dlopen("./libwith.so", RTLD_NOW | RTLD_GLOBAL);
  if (first == nullptr) return std::printf("unloaded: %s\n", dlerror()), 1;
  expect("loaded", true);
  const auto* text = shared_descriptor();
  void* second = dlopen("./libagain.so", RTLD_NOW | RTLD_GLOBAL);
  if (shared_descriptor() != text) wrong += std::printf("unloaded: the second one's descriptor\n");
  dlclose(second);
  expect("second one unloaded", true);
  dlclose(first);
  expect("unloaded", false);
  return wrong != 0;
}
