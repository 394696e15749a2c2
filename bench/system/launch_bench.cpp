// What it costs to plan a stage for a device and launch it, the driver's own time excluded: the
// same operations called directly take as long as the driver needs, and the rest is the engine's.
#include <numeric>

#include "pappus/device_code.h"
#include "system/device_texts.h"
#include "system/suite.h"

namespace pappus::bench {
namespace {

int add(int x, int by) { return x + by; }

/// The operations of such a stage: rows and the state to begin with go there, a kernel, a state
/// comes back; or the kernel finds and leaves them on the host.
struct operations {
  opencl::device& on;
  opencl::kernel add;
  opencl::memory rows, initial, total;

  operations(opencl::device& d, std::size_t bytes)
      : on(d),
        add(d.build(text_file("opencl/launch.cl"), "add_and_sum")),
        rows(d.allocate(bytes)),
        initial(d.allocate(sizeof(std::int64_t))),
        total(d.allocate(sizeof(std::int64_t))) {}

  std::int64_t run(const std::vector<int>& numbers, std::int32_t by) {
    const std::int64_t zero = 0, n = std::ssize(numbers);
    std::int64_t sum = 0;
    if (on.in_place()) {
      rows = on.wrap(numbers.data(), numbers.size() * sizeof(int));
      initial = on.wrap(&zero, sizeof zero);
      total = on.wrap(&sum, sizeof sum);
      const auto computed = on.launch(add, 1, {}, rows, n, by, total);
      on.read(total, 0, &sum, sizeof sum, {computed});
      on.flush();
      on.finish();
      return sum;
    }
    const auto first = on.write(rows, 0, numbers.data(), numbers.size() * sizeof(int));
    const auto second = on.write(initial, 0, &zero, sizeof zero);
    const auto computed = on.launch(add, 1, {first, second}, rows, n, by, total);
    on.read(total, 0, &sum, sizeof sum, {computed});
    on.flush();
    on.finish();
    return sum;
  }
};

}  // namespace

std::vector<result> run_launch(const stage& on, std::int64_t n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  // Each timing covers many queries: one alone is too short for the clock.
  constexpr int times = 200;
  std::int64_t pappus = 0, raw = 0;
  const auto code = device_text("add", std::string(text_file("device/launch.cl")));
  const auto text = [](const std::int64_t& sum) { return [&sum] { return std::to_string(sum); }; };
  std::vector<version> versions{
      {"pappus",
       [&] {
         for (int i = 0; i < times; ++i)
           pappus = on.engine.borrow(numbers).map(with_device_code(fn<add>, code, i)).sum();
       },
       text(pappus)}};
  if (!on.opencl.empty())
    versions.push_back(
        {opencl_version,
         [&, direct = std::make_shared<operations>(*on.opencl.front(), numbers.size() * 4)] {
           for (int i = 0; i < times; ++i) raw = direct->run(numbers, i);
         },
         text(raw), on.opencl.front()->name()});
  auto results = compare(on, "launch", n, 4.0 * static_cast<double>(n), std::move(versions));
  for (auto& r : results) {
    r.median_s /= times;
    r.min_s /= times;
  }
  if (results.size() == 2) {
    result overhead = results[0];
    overhead.version = "overhead";
    overhead.median_s -= results[1].median_s;
    overhead.min_s -= results[1].min_s;
    results.push_back(overhead);
  }
  return results;
}

}  // namespace pappus::bench
