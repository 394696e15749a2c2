// What starting a query costs: a chain over data that fits the first-level cache.
#include <numeric>

#include "system/suite.h"

namespace pappus::bench {

std::vector<result> run_small(const stage& on, std::int64_t n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto rows = on.engine.borrow(numbers);
  // Each timing covers many queries: one alone is too short for the clock.
  constexpr int times = 1000;
  std::int64_t sequential = 0, pappus = 0;
  const auto text = [](const std::int64_t& sum) { return [&sum] { return std::to_string(sum); }; };
  auto results = compare(on, "small", n, 4.0 * static_cast<double>(n),
                         {{"sequential",
                           [&] {
                             for (int i = 0; i < times; ++i) {
                               std::int64_t sum = 0;
                               for (const int x : numbers) sum += x + i;
                               sequential = sum;
                             }
                           },
                           text(sequential)},
                          {"pappus",
                           [&] {
                             for (int i = 0; i < times; ++i)
                               pappus = rows.map([i](int x) { return x + i; }).sum();
                           },
                           text(pappus)}});
  for (auto& r : results) {
    r.median_s /= times;
    r.min_s /= times;
  }
  return results;
}

}  // namespace pappus::bench
