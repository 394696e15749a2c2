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
  f64v sums[8 * line_vectors] = {};
  std::int64_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (int line = 0; line < 8; ++line) {
      __builtin_prefetch(numbers + i + 8 * line + ahead);
      for (int v = line * line_vectors; v < (line + 1) * line_vectors; ++v)
        sums[v] += load<f64v>(numbers + i + lanes_of<double> * v);
    }
  }
  for (int half = 4 * line_vectors; half >= line_vectors; half /= 2)
    for (int v = 0; v < half; ++v) sums[v] += sums[v + half];
  double total = 0;
  for (int lane = 0; lane < 8; ++lane)
    total += sums[lane / lanes_of<double>][lane % lanes_of<double>];
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
