// Checks that fail leave the function: the CPU runs the chunk again and throws.
#include <array>
#include <cassert>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

#include "compiler/thunks.h"

[[noreturn]] void fail(const char* why);

void kernels() {
  using thunks::element;

  element<int, int>([](int i) {
    const std::array<int, 4> a{4, 7, 1, 8};
    return a.at(i);
  });

  element<int, int>([](int x) {
    if (x < 0) throw std::invalid_argument("negative: " + std::to_string(x));
    return x;
  });

  element<int, std::optional<int>>([](const std::optional<int>& x) { return x.value(); });

  element<int, std::variant<int, float>>(
      [](const std::variant<int, float>& v) { return std::get<int>(v); });

  element<int, int>([](int x) {
    assert(x != 3);
    return x;
  });

  element<int, int>([](int x) noexcept {
    if (x == 0) fail("zero");
    return 100 / x;
  });

  element<int, int>([](int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      if (sum > 1000000) throw std::overflow_error("sum");
      sum += i;
    }
    return sum;
  });
}
