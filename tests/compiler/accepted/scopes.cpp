// Ways out of loops, whose blocks differ between optimised builds and others.
#include <algorithm>
#include <array>
#include <optional>

#include "compiler/thunks.h"

void kernels(const std::array<int, 10>& sorted, const std::array<float, 8>& weights) {
  using thunks::element;

  // TEXT: one loop, no floats, no array
  element<int, int>([](int x) {
    for (int i = 0; i < 10; ++i)
      if (i * i >= x) return i;
    return -1;
  });

  // TEXT: two loops, no floats, no array
  element<int, int>([](int x) {
    for (int i = 1; i < x; ++i) {
      for (int j = 1; j < i; ++j) {
        const int product = i * j;
        if (product == x) return j;
        if (product > x) break;
        if (product % 3 == 0) continue;
        x -= j;
      }
    }
    return x;
  });

  // TEXT: one loop, no double, no array
  element<float, float>([&weights](float x) {
    float sum = 0;
    for (const float w : weights) sum += w * x;
    return sum;
  });

  // TEXT: one loop, no floats, no array
  element<int, int>([&sorted](int x) {
    const auto at = std::find(sorted.begin(), sorted.end(), x);
    return at == sorted.end() ? -1 : static_cast<int>(at - sorted.begin());
  });

  // TEXT: three loops, no floats
  element<int, int>([](int n) {
    int queens[4] = {};
    int found = 0;
    for (int code = 0; code < n; ++code) {
      bool safe = true;
      for (int row = 0, rest = code; row < 4 && safe; ++row, rest /= 4) {
        queens[row] = rest % 4;
        for (int other = 0; other < row; ++other) {
          if (queens[other] != queens[row]) continue;
          safe = false;
          break;
        }
      }
      found += safe;
    }
    return found;
  });
}
