// Exceptions may leave a function, but not be caught in it.
#include <array>
#include <optional>
#include <stdexcept>

#include "compiler/thunks.h"

int checked(int x) {
  if (x < 0) throw std::invalid_argument("negative: " + std::to_string(x));
  return x;
}

void kernels() {
  using thunks::element;

  element<int, int>([](int x) {
    try {
      return checked(x);
    } catch (const std::invalid_argument&) {
      return 0;
    }
  });

  element<int, int>([](int x) {
    try {
      if (x == 3) throw x;
      return 1;
    } catch (...) {
      return 2;
    }
  });

  element<int, int>([](int x) {
    const std::array<int, 3> a{1, 2, 3};
    try {
      return a.at(x);
    } catch (const std::out_of_range& e) {
      throw std::runtime_error(e.what());
    }
  });
}
