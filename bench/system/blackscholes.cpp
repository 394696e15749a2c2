// The hand-written version takes the fields of 256 options apart first: loops over plain arrays of
// floats become vectors without shuffles.
#include "system/blackscholes.h"

#include <algorithm>

#include "system/checksum.h"

namespace pappus::bench::blackscholes {
namespace {

constexpr std::int64_t piece = 1 << 14;
constexpr std::size_t block = 256;

float library_normal_of(float d) { return 0.5f * std::erfc(-d * 0.70710678f); }

prices library_price(const quote& q) {
  const float spread = volatility * std::sqrt(q.years);
  const float d1 =
      (std::log(q.spot / q.strike) + (rate + 0.5f * volatility * volatility) * q.years) / spread;
  const float n1 = library_normal_of(d1), n2 = library_normal_of(d1 - spread);
  const float paid = q.strike * std::exp(-rate * q.years);
  return {q.spot * n1 - paid * n2, paid * (1.0f - n2) - q.spot * (1.0f - n1)};
}

void price_block(const quote* quotes, prices* out, std::size_t n) {
  float spot[block], strike[block], years[block], call[block], put[block];
  for (std::size_t i = 0; i < n; ++i) {
    spot[i] = quotes[i].spot;
    strike[i] = quotes[i].strike;
    years[i] = quotes[i].years;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const prices p = price({spot[i], strike[i], years[i]});
    call[i] = p.call;
    put[i] = p.put;
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = {call[i], put[i]};
}

}  // namespace

std::string result::checksum() const {
  double call = 0, put = 0;
  for (const prices& p : values) {
    call += p.call;
    put += p.put;
  }
  return scientific(call, 7) + "/" + scientific(put, 7);
}

result sequential(std::span<const quote> quotes, std::span<prices> out) {
  std::ranges::transform(quotes, out.begin(), library_price);
  return {out};
}

result handwritten(std::span<const quote> quotes, std::span<prices> out, team& workers) {
  workers.run_pieces(std::ssize(quotes), piece, [&](std::int64_t begin, std::int64_t end, int) {
    for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); at += block)
      price_block(&quotes[at], &out[at], std::min(block, static_cast<std::size_t>(end) - at));
  });
  return {out};
}

}  // namespace pappus::bench::blackscholes
