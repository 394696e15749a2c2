// What headers of the standard library define whole.
#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "compiler/thunks.h"

struct word {
  char text[8];
  unsigned char length;
};

void kernels(std::array<float, 4> weights, std::tuple<int, double> pair) {
  using thunks::element;

  // TEXT: no double, no array, no branch
  element<float, int>([weights](int i) { return weights[i & 3]; });

  // TEXT: two loops, no floats
  element<int, int>([](int x) {
    std::array<int, 5> a{5, 3, x, 1, 4};
    std::ranges::reverse(a);
    return std::accumulate(a.begin(), a.begin() + (x & 3), 0);
  });

  // TEXT: no floats, no array, no branch
  element<int, int>([](int x) {
    const std::optional<int> half = x % 2 == 0 ? std::optional(x / 2) : std::nullopt;
    return half.value_or(-1);
  });

  // TEXT: no floats, no array, no branch
  element<std::optional<int>, int>(
      [](int x) { return x > 0 ? std::optional<int>(x) : std::nullopt; });

  // TEXT: no array
  element<double, std::variant<int, double>>([](const std::variant<int, double>& v) {
    return std::holds_alternative<int>(v) ? *std::get_if<int>(&v) : *std::get_if<double>(&v);
  });

  // TEXT: no loop, no array
  element<double, std::variant<int, double>>([](const std::variant<int, double>& v) {
    return std::visit([](auto x) { return x * 0.5; }, v);
  });

  // TEXT: no loop, no array
  element<double, int>([](int x) {
    std::variant<int, float> a = x, b = 0.5f;
    if (x % 2 == 0) a = 2.5f;
    if (x % 3 == 0) b = 7;
    return std::visit([](auto p, auto q) { return static_cast<double>(p - q); }, a, b);
  });

  // TEXT: no array, no branch
  element<double, int>([pair](int x) { return x * std::get<0>(pair) + std::get<1>(pair); });

  // TEXT: no floats, no array, no branch
  element<std::tuple<int, char>, int>([](int x) { return std::tuple(x, 'a'); });

  // TEXT: no double, no array, no branch
  element<std::pair<int, float>, int>([](int x) { return std::make_pair(x + 1, x * 0.5f); });
}

void text_and_numbers() {
  using thunks::element;

  // TEXT: no loop, no array
  element<double, std::complex<double>>(
      [](const std::complex<double>& c) { return std::norm(c * c); });

  // TEXT: no loop, no double, no array
  element<std::complex<float>, std::complex<float>>(
      [](const std::complex<float>& c) { return c * std::complex<float>(0, 1) + 1.f; });

  // TEXT: no loop, no floats, no array
  element<int, word>([](const word& w) {
    const std::string_view text(w.text, w.length);
    return text == "alpha" ? 1 : text.starts_with("be") ? 2 : 0;
  });

  // TEXT: no loop, no floats, no array
  element<bool, word>(
      [](const word& w) { return std::string_view(w.text, w.length) < std::string_view("m"); });

  // TEXT: no loop, no floats, no array
  element<int, word>([](const word& w) { return std::strcmp(w.text, "gamma"); });

  // TEXT: no loop, no floats, no array
  element<bool, word>([](const word& w) { return std::strncmp(w.text, "al", 2) == 0; });

  // TEXT: no floats, no array, no branch
  element<int, int>([](int x) { return std::clamp(std::max(x, 3), std::min(x, 7), 100); });

  // TEXT: one loop, no double, no array
  element<int, float>([](float x) {
    static constexpr float bounds[] = {0.1f, 0.5f, 2.f, 8.f, 32.f};
    return static_cast<int>(std::lower_bound(std::begin(bounds), std::end(bounds), x) - bounds);
  });

  // TEXT: one loop, no double, no array
  thunks::with_side<int, float, float>([](float x, std::span<const float> sorted) {
    return static_cast<int>(std::upper_bound(sorted.begin(), sorted.end(), x) - sorted.begin());
  });

  // TEXT: one loop, no double, no array
  thunks::with_side<float, float, float>([](float x, std::span<const float> all) {
    float best = std::numeric_limits<float>::infinity();
    for (const float y : all) best = std::min(best, (x - y) * (x - y));
    return best;
  });

  // TEXT: no loop, no floats, no array
  element<int, unsigned>([](unsigned x) {
    return std::popcount(x) + std::countl_zero(x) + std::countr_zero(x) +
           static_cast<int>(std::rotl(x, 3));
  });

  // TEXT: no floats, no array, no branch
  element<int, int>([](int x) {
    const std::function<int(int)> f = [x](int i) { return i + x; };
    return f(x);
  });

  // TEXT: one loop, no floats
  element<int, int>([](int x) {
    int a[4] = {x, 3, 1, 2};
    std::swap(a[0], a[3]);
    return *std::max_element(a, a + 4);
  });
}
