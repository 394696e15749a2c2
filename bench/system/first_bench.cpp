// What a query costs that asks for functions no query asked for before: describing the stage,
// making its text and, where no cache has its kernels, the driver's build.
//
// "first" is the median over functions alike but for a constant, each used for the first time in
// this process; "again" of the same queries once more. Whether "first" includes a build is up to
// the kernel cache, PAPPUS_CACHE: with an empty folder all of them do, in the next process none.
#include <algorithm>
#include <numeric>
#include <utility>

#include "system/suite.h"

namespace pappus::bench {
namespace {

template <int which>
std::int64_t scramble(std::int32_t x) {
  auto bits = static_cast<std::uint32_t>(x);
  for (int i = 0; i < 4; ++i) bits = (bits ^ bits >> 15) * (0x2C1B3C6Du + 2 * which);
  return bits % 100;
}

constexpr int functions = 7;

struct times {
  std::vector<double> seconds;
  std::int64_t sum = 0;

  template <int which>
  void add(session& engine, std::span<const int> numbers) {
    seconds.push_back(
        seconds_of([&] { sum += engine.borrow(numbers).map(fn<scramble<which>>).sum(); }));
  }
  template <int... which>
  void add_all(session& engine, std::span<const int> numbers,
               std::integer_sequence<int, which...>) {
    (add<which>(engine, numbers), ...);
    std::ranges::sort(seconds);
  }
};

}  // namespace

std::vector<result> run_first(const stage& on, std::int64_t n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  // So that the first function doesn't pay for drivers and for threads that wake up.
  on.engine.borrow(numbers).map(std::negate<>()).sum().get();
  std::vector<result> results;
  for (const char* version : {"first", "again"}) {
    times all;
    all.add_all(on.engine, numbers, std::make_integer_sequence<int, functions>());
    results.push_back({.name = "first",
                       .version = version,
                       .device = on.asked.devices.empty() ? "cpu" : on.asked.devices,
                       .n = n,
                       .seed = on.asked.seed,
                       .threads = on.workers.threads(),
                       .median_s = all.seconds[functions / 2],
                       .min_s = all.seconds.front(),
                       .checksum = std::to_string(all.sum),
                       .floor_s = 4.0 * static_cast<double>(n) / on.triad});
  }
  return results;
}

}  // namespace pappus::bench
