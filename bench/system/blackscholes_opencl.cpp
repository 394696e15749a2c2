// Chunks pass through two slots of device memory, so that copies overlap kernels, or are used where
// they lie.
#include "system/blackscholes_opencl.h"

#include <algorithm>

#include "system/device_texts.h"

namespace pappus::bench::blackscholes {
namespace {

constexpr std::int64_t copied_rows = 1 << 18;

/// What one device needs for its share of the rows.
struct worker {
  opencl::device& on;
  opencl::streamed_input quotes;
  opencl::streamed_output results;
  opencl::kernel price;

  worker(opencl::device& d, std::span<const quote> share, prices* to, const char* function,
         bool resident)
      : on(d),
        quotes(d, share.data(), sizeof(quote), std::ssize(share),
               d.chunk_rows(copied_rows, sizeof(quote)), resident),
        results(d, to, sizeof(prices), std::ssize(share), d.chunk_rows(copied_rows, sizeof(quote))),
        price(on.build(std::string(text_file("opencl/prelude.cl")) +
                           std::string(text_file("device/blackscholes.cl")) +
                           std::string(text_file("opencl/blackscholes.cl")),
                       function)) {}

  void run() {
    for (std::int64_t i = 0; i < quotes.chunks(); ++i) {
      const auto chunk = quotes.upload(i);
      const auto computed = on.launch(price, on.items(), {chunk.ready, results.free(i)},
                                      *chunk.data, chunk.rows, results.room(i));
      quotes.used(i, computed);
      results.deliver(i, computed);
      on.flush();
    }
    on.finish();
  }
};

}  // namespace

void add_opencl(const stage& on, std::span<const quote> quotes, std::span<prices> out,
                std::vector<version>& to) {
  if (!opencl::are_processors(on.opencl)) return;
  for (const auto& [name, function] :
       {std::pair{opencl_version, "price_rows"}, std::pair{opencl_cpu_version, "price_vectors"}}) {
    const auto make = [&, function = function](opencl::device& d, std::int64_t first,
                                               std::int64_t rows) {
      return std::make_unique<worker>(
          d, quotes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)),
          out.data() + first, function, on.asked.resident);
    };
    auto crew =
        std::make_shared<opencl::crew<worker>>(on.opencl, std::ssize(quotes), copied_rows, make);
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
