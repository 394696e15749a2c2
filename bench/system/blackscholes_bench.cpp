#include "pappus/device_code.h"
#include "system/blackscholes.h"
#include "system/blackscholes_opencl.h"
#include "system/device_texts.h"
#include "system/suite.h"
#include "system/triad.h"

namespace pappus::bench {
namespace {

/// The prices by a launch over arrays.
version over_arrays(const stage& on, std::span<const quote> all) {
  const auto quotes = on.engine.to_array(all);
  const auto out = on.engine.zeros<prices>({std::ssize(all)});
  return {"pappus, arrays",
          [&on, quotes, out] {
            on.engine.for_each(
                quotes.extent(0),
                [](idx<1> i, reads<quote> quotes, writes<prices> out) {
                  out[i] = blackscholes::price(quotes[i]);
                },
                quotes, out);
            on.engine.wait();
          },
          [out] {
            const auto found = out.host();
            return blackscholes::result{{found.begin(), found.end()}}.checksum();
          }};
}

}  // namespace

std::vector<result> run_blackscholes(const stage& on, std::int64_t n) {
  const auto quotes = make_blackscholes(n, on.asked.seed, on.workers);
  const buffer<prices> out(n, on.workers);
  blackscholes::result last;
  records<prices> pappus;
  auto rows = on.engine.borrow(quotes.all());
  const auto code = device_text("price", std::string(text_file("device/blackscholes.cl")));
  // The first two write to the same buffer, so each runs once more before its checksum is taken.
  std::vector<version> versions{
      {"sequential", [&] { last = blackscholes::sequential(quotes, out); },
       [&] {
         last = blackscholes::sequential(quotes, out);
         return last.checksum();
       }},
      {"handwritten", [&] { last = blackscholes::handwritten(quotes, out, on.workers); },
       [&] {
         last = blackscholes::handwritten(quotes, out, on.workers);
         return last.checksum();
       }},
      {"pappus",
       [&] {
         pappus = {};
         if (!on.asked.resident) rows = on.engine.borrow(quotes.all());
         pappus = rows.map(with_device_code(fn<blackscholes::price>, code)).collect();
       },
       [&] { return blackscholes::result{pappus}.checksum(); }}};
  versions.push_back(over_arrays(on, quotes));
  blackscholes::add_opencl(on, quotes, out, versions);
  return compare(on, "blackscholes", n, min_bytes::blackscholes(n), std::move(versions));
}

}  // namespace pappus::bench
