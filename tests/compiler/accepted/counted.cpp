// Loops that only count: what they have counted is computed from how often they run.
#include <cstdint>
#include <ranges>

#include "compiler/thunks.h"

void kernels() {
  using thunks::element;

  element<int, int>([](int x) {
    int count = 0;
    for (int i = 0; i < x; ++i) count += 2;
    return count;
  });

  // As flat_map takes its records out of a view, whose iterators it advances step by step.
  element<int, std::int64_t>([](int x) {
    const auto numbers = std::views::iota(std::int64_t{x}, std::int64_t{x} + 1000);
    auto at = numbers.begin();
    for (int i = x & 7; i > 0; --i) ++at;
    std::int64_t size = 0;
    for (auto i = numbers.begin(); i != numbers.end(); ++i) ++size;
    return *at + size;
  });

  // Its formula has a product of 65 bits.
  element<std::int64_t, std::int64_t>([](std::int64_t x) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < x; ++i) sum += i;
    return sum;
  });

  // What it computes from row to row stays a loop.
  element<unsigned, unsigned>([](unsigned x) {
    unsigned steps = 0;
    for (; x != 1 && steps < 100; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
    return steps;
  });
}
