// Chunks pass through two slots of device memory, so that copies overlap kernels.
#include "system/blackscholes_opencl.h"

#include <algorithm>

#include "system/device_texts.h"

namespace pappus::bench::blackscholes {
namespace {

constexpr std::int64_t chunk_rows = 1 << 18;

/// What one device needs for its share of the rows.
struct worker {
  opencl::device& on;
  prices* out;
  opencl::streamed_input quotes;
  opencl::kernel price;
  opencl::memory results[2];
  opencl::event delivered[2];

  worker(opencl::device& d, std::span<const quote> share, prices* to, const char* function,
         bool resident)
      : on(d),
        out(to),
        quotes(d, share.data(), sizeof(quote), std::ssize(share), chunk_rows, resident),
        price(on.build(std::string(text_file("opencl/prelude.cl")) +
                           std::string(text_file("device/blackscholes.cl")) +
                           std::string(text_file("opencl/blackscholes.cl")),
                       function)) {
    for (auto& r : results) r = on.allocate(chunk_rows * sizeof(prices));
  }

  void run() {
    for (std::int64_t i = 0; i < quotes.chunks(); ++i) {
      const auto chunk = quotes.upload(i);
      auto& result = results[i % 2];
      auto& read = delivered[i % 2];
      const auto computed =
          on.launch(price, on.items(), {chunk.ready, read}, *chunk.data, chunk.rows, result);
      quotes.used(i, computed);
      read = on.read(result, 0, out + chunk.first,
                     static_cast<std::size_t>(chunk.rows) * sizeof(prices), {computed});
      on.flush();
    }
    on.finish();
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const quote> quotes, std::span<prices> out,
                std::vector<version>& to) {
  if (on.opencl.empty()) return;
  for (const auto& [name, function] :
       {std::pair{opencl_version, "price_rows"}, std::pair{opencl_cpu_version, "price_vectors"}}) {
    const auto make = [&, function = function](opencl::device& d, std::int64_t first,
                                               std::int64_t rows) {
      return std::make_unique<worker>(
          d, quotes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          out.data() + first, function, on.asked.resident);
    };
    auto crew =
        std::make_shared<opencl::crew<worker>>(on.opencl, std::ssize(quotes), chunk_rows, make);
    const auto run = [=] { crew->run([](worker& w, std::size_t) { w.run(); }); };
    to.push_back({name, run,
                  [=] {
                    run();
                    return result{out}.checksum();
                  },
                  opencl::names_of(on.opencl)});
  }
}

}  // namespace pappus::bench::blackscholes
