// Each work-item has a total, to which it adds chunk after chunk; the host adds the totals.
#include "system/sum_opencl.h"

#include <numeric>

#include "system/device_texts.h"
#include "system/sum.h"

namespace pappus::bench::sum {
namespace {

constexpr std::int64_t chunk_rows = 1 << 19;

/// What one device needs for its share of the rows.
struct worker {
  opencl::device& on;
  opencl::streamed_input numbers;
  opencl::kernel add;
  std::vector<double> parts;
  opencl::memory totals;

  worker(opencl::device& d, std::span<const double> share, const char* function, bool resident)
      : on(d),
        numbers(d, share.data(), sizeof(double), std::ssize(share), chunk_rows, resident),
        add(on.build(text_file("opencl/sum.cl"), function)),
        parts(on.items()),
        totals(on.allocate(parts.size() * sizeof(double))) {}

  double run() {
    for (std::int64_t i = 0; i < numbers.chunks(); ++i) {
      const auto chunk = numbers.upload(i);
      const std::int32_t begins = i == 0;
      numbers.used(
          i, on.launch(add, on.items(), {chunk.ready}, *chunk.data, chunk.rows, begins, totals));
      on.flush();
    }
    on.finish();
    on.read(totals, 0, parts.data(), parts.size() * sizeof(double));
    on.finish();
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const double> numbers, std::vector<version>& to) {
  if (on.opencl.empty()) return;
  for (const auto& [name, function] :
       {std::pair{opencl_version, "add_lanes"}, std::pair{opencl_cpu_version, "add_vectors"}}) {
    const auto make = [&, function = function](opencl::device& d, std::int64_t first,
                                               std::int64_t rows) {
      return std::make_unique<worker>(
          d, numbers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          function, on.asked.resident);
    };
    auto crew =
        std::make_shared<opencl::crew<worker>>(on.opencl, std::ssize(numbers), chunk_rows, make);
    auto last = std::make_shared<double>(0);
    to.push_back({name,
                  [=] {
                    std::vector<double> totals(crew->workers().size());
                    crew->run([&](worker& w, std::size_t i) { totals[i] = w.run(); });
                    *last = std::accumulate(totals.begin(), totals.end(), 0.0);
                  },
                  [=] { return checksum(*last); }, opencl::names_of(on.opencl)});
  }
}

}  // namespace pappus::bench::sum
