// Memory bandwidth is the limit: 64 sums in vectors hide the additions' latency, and prefetching
// keeps more cache lines on their way than the processor does by itself.
#include "system/sum.h"

#include <vector>

#include "system/checksum.h"
#include "system/lanes.h"

namespace pappus::bench::sum {
namespace {

constexpr std::int64_t piece = 1 << 16;
constexpr std::int64_t ahead = 256;  // numbers: 2 KiB

double sum_piece(const double* numbers, std::int64_t n) {
  f64x8 sums[8] = {};
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int v = 0; v < 8; ++v) {
      __builtin_prefetch(numbers + i + 8 * v + ahead);
      sums[v] += load<f64x8>(numbers + i + 8 * v);
    }
  }
  for (int half = 4; half > 0; half /= 2)
    for (int v = 0; v < half; ++v) sums[v] += sums[v + half];
  double total = 0;
  for (int lane = 0; lane < 8; ++lane) total += sums[0][lane];
  for (; i < n; ++i) total += numbers[i];
  return total;
}

}  // namespace

std::string checksum(double total) { return scientific(total, 9); }

double sequential(std::span<const double> numbers) {
  double total = 0;
  for (const double x : numbers) total += x;
  return total;
}

double handwritten(std::span<const double> numbers, team& workers) {
  struct alignas(64) padded {
    double total = 0;
  };
  std::vector<padded> parts(static_cast<std::size_t>(workers.threads()));
  workers.run_pieces(std::ssize(numbers), piece,
                     [&](std::int64_t begin, std::int64_t end, int worker) {
                       parts[static_cast<std::size_t>(worker)].total +=
                           sum_piece(numbers.data() + begin, end - begin);
                     });
  double total = 0;
  for (const padded& part : parts) total += part.total;
  return total;
}

}  // namespace pappus::bench::sum
