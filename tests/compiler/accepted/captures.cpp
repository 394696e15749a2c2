// What a lambda captures: values, and references whose extent is known.
#include <algorithm>
#include <array>
#include <optional>

#include "compiler/thunks.h"

struct table {
  float values[16];
  int count;
};

void kernels(int k, const float& factor, const table& t, const std::array<int, 8>& order,
             const std::optional<double>& limit, const double (&grid)[3][4],
             std::array<std::array<double, 3>, 3> matrix, short low, short high) {
  using thunks::element;

  // TEXT: no floats, no array, no branch
  element<int, int>([k](int x) { return x + k; });

  // TEXT: no double, no array, no branch
  element<float, float>([&factor](float x) { return x * factor; });

  // TEXT: no loop, no double, no array
  element<float, int>([&t](int i) { return i < t.count ? t.values[i] : 0; }, {0, 3, 15, 16, 99});

  // TEXT: no floats, no array, no branch
  element<int, int>([&order, k](int i) { return order[i & 7] + k; });

  // TEXT: no loop, no array
  element<double, double>([&limit](double x) { return limit.value_or(x); });

  // Elements of the one object that is captured.
  // TEXT: one loop, no floats, no array
  element<int, int>([&order](int x) {
    return static_cast<int>(std::lower_bound(order.begin(), order.end(), x) - order.begin());
  });
  // TEXT: no loop, no floats
  element<int, int>([&order](int n) {
    std::array<int, 8> copies{};
    std::copy(order.begin(), order.begin() + (n & 7), copies.begin());
    return copies[1];
  });

  // Loops of constant length through arrays.
  // TEXT: two loops, no array
  element<double, double>([&grid](double x) {
    for (const auto& row : grid)
      for (const double y : row)
        if (y > x) return y;
    return x;
  });
  // TEXT: one loop, no floats, no array
  element<int, int>([&order](int x) {
    for (auto at = order.rbegin(); at != order.rend(); ++at) x = 3 * x + *at;
    return x;
  });

  // TEXT: no floats, no array, no branch
  element<bool, table>([&t](const table& other) { return &t.count == &t.count + other.count; });

  // TEXT: no array, no branch
  element<double, int>([=](int i) { return matrix[i % 3][k % 3]; }, {0, 1, 2, 3, 100});

  // TEXT: no floats, no array, no branch
  element<int, int>([k, double_k = 2 * k](int x) { return x * k + double_k; });

  // Read only under conditions, and within what the array's type says.
  const std::array<char, 128> letters{};
  // TEXT: no loop, no floats, no array
  element<char, int>([&letters](int i) {
    return i > 0 ? letters[i & 127] : i < -9 ? letters[-i & 127] : char(0);
  });

  // One of two variables, and an array as small as a number.
  const std::array<std::int16_t, 2> pair{};
  // TEXT: no loop, no floats, no array
  element<short, int>([&low, &high, &pair](int i) {
    return i < 0 ? pair[i & 1] : static_cast<short>((i & 1) != 0 ? low : high);
  });

  const auto add = [k](int x) { return x + k; };
  // TEXT: no floats, no array, no branch
  element<int, int>([add](int x) { return add(add(x)); });
}
