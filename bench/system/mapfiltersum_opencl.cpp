// Each work-item has a place for its count and sum, to which it adds chunk after chunk; the host
// adds the places at the end.
#include "system/mapfiltersum_opencl.h"

#include "system/device_texts.h"

namespace pappus::bench::mapfiltersum {
namespace {

constexpr std::int64_t chunk_rows = 1 << 20;

/// What one device needs for its share of the rows.
struct worker {
  opencl::device& on;
  opencl::streamed_input numbers;
  opencl::kernel add;
  std::vector<result> parts;  // as opencl/mapfiltersum.cl's count_and_sum
  opencl::memory totals;

  worker(opencl::device& d, std::span<const std::int32_t> share, const char* function,
         bool resident)
      : on(d),
        numbers(d, share.data(), 4, std::ssize(share), chunk_rows, resident),
        add(on.build(text_file("opencl/mapfiltersum.cl"), function)),
        parts(on.items()),
        totals(on.allocate(parts.size() * sizeof(result))) {}

  result run() {
    for (std::int64_t i = 0; i < numbers.chunks(); ++i) {
      const auto chunk = numbers.upload(i);
      const std::int32_t begins = i == 0;
      numbers.used(
          i, on.launch(add, on.items(), {chunk.ready}, *chunk.data, chunk.rows, begins, totals));
      on.flush();
    }
    on.finish();
    on.read(totals, 0, parts.data(), parts.size() * sizeof(result));
    on.finish();
    result total;
    for (const result& part : parts) {
      total.count += part.count;
      total.sum += part.sum;
    }
    return total;
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const std::int32_t> numbers, std::vector<version>& to) {
  if (on.opencl.empty()) return;
  for (const auto& [name, function] :
       {std::pair{opencl_version, "add_rows"}, std::pair{opencl_cpu_version, "add_vectors"}}) {
    const auto make = [&, function = function](opencl::device& d, std::int64_t first,
                                               std::int64_t rows) {
      return std::make_unique<worker>(
          d, numbers.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          function, on.asked.resident);
    };
    auto crew =
        std::make_shared<opencl::crew<worker>>(on.opencl, std::ssize(numbers), chunk_rows, make);
    auto last = std::make_shared<result>();
    to.push_back({name,
                  [=] {
                    std::vector<result> totals(crew->workers().size());
                    crew->run([&](worker& w, std::size_t i) { totals[i] = w.run(); });
                    *last = {};
                    for (const result& part : totals) {
                      last->count += part.count;
                      last->sum += part.sum;
                    }
                  },
                  [=] { return last->checksum(); }, opencl::names_of(on.opencl)});
  }
}

}  // namespace pappus::bench::mapfiltersum
