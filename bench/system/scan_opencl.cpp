// The sum so far stays on the device, so that no chunk waits for the host. A chunk is small enough
// for a CPU's caches: only its first kernel reads memory.
//
// Not here: several devices. They'd wait for each other's sums.
#include "system/scan_opencl.h"

#include "system/device_texts.h"

namespace pappus::bench::scan {
namespace {

constexpr std::int64_t chunk_rows = 1 << 20;

struct worker {
  opencl::device& on;
  opencl::streamed_input numbers;
  opencl::streamed_output sums;
  opencl::kernel sum, scan_sums, scan;
  opencl::memory block_sums, carry;

  worker(opencl::device& d, std::span<const std::int32_t> rows, std::int32_t* to,
         const char* function, bool resident)
      : on(d),
        numbers(d, rows.data(), 4, std::ssize(rows), chunk_rows, resident),
        sums(d, to, 4, std::ssize(rows), chunk_rows),
        sum(on.build(text_file("opencl/scan.cl"), "sum_blocks")),
        scan_sums(on.build(text_file("opencl/scan.cl"), "scan_sums")),
        scan(on.build(text_file("opencl/scan.cl"), function)),
        block_sums(on.allocate(on.items() * 4)),
        carry(on.allocate(4)) {}

  void run() {
    const auto blocks = static_cast<std::int32_t>(on.items());
    for (std::int64_t i = 0; i < numbers.chunks(); ++i) {
      const auto chunk = numbers.upload(i);
      const std::int32_t begins = i == 0;
      on.launch(sum, on.items(), {chunk.ready}, *chunk.data, chunk.rows, block_sums);
      on.launch(scan_sums, 1, {}, block_sums, blocks, begins, carry);
      const auto computed = on.launch(scan, on.items(), {sums.free(i)}, *chunk.data, chunk.rows,
                                      block_sums, sums.room(i));
      numbers.used(i, computed);
      sums.deliver(i, computed);
      on.flush();
    }
    on.finish();
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const std::int32_t> numbers,
                std::span<std::int32_t> sums, std::vector<version>& to) {
  if (!opencl::are_processors(on.opencl)) return;
  for (const auto& [name, function] :
       {std::pair{opencl_version, "scan_rows"}, std::pair{opencl_cpu_version, "scan_vectors"}}) {
    auto& device = *on.opencl.front();
    auto only = std::make_shared<worker>(device, numbers, sums.data(), function, on.asked.resident);
    to.push_back({name, [=] { only->run(); },
                  [=] {
                    only->run();
                    return result{sums}.checksum();
                  },
                  device.name()});
  }
}

}  // namespace pappus::bench::scan
