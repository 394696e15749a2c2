// What a lambda captures: values, and references whose extent is known.
#include <array>

#include "compiler/thunks.h"

struct table {
  float values[16];
  int count;
};

void kernels(int k, const float& factor, const table& t, const std::array<int, 4>& order,
             std::array<std::array<double, 3>, 3> matrix, short low, short high) {
  using thunks::element;

  element<int, int>([k](int x) { return x + k; });

  element<float, float>([&factor](float x) { return x * factor; });

  element<float, int>([&t](int i) { return i < t.count ? t.values[i] : 0; });

  element<int, int>([&order, k](int i) { return order[i & 3] + k; });

  element<double, int>([=](int i) { return matrix[i % 3][k % 3]; });

  element<int, int>([k, double_k = 2 * k](int x) { return x * k + double_k; });

  // Read only under conditions, and within what the array's type says.
  const std::array<char, 128> letters{};
  element<char, int>([&letters](int i) {
    return i > 0 ? letters[i & 127] : i < -9 ? letters[-i & 127] : char(0);
  });

  // One of two variables, and an array as small as a number.
  const std::array<std::int16_t, 2> pair{};
  element<short, int>([&low, &high, &pair](int i) {
    return i < 0 ? pair[i & 1] : static_cast<short>((i & 1) != 0 ? low : high);
  });

  const auto add = [k](int x) { return x + k; };
  element<int, int>([add](int x) { return add(add(x)); });
}
