// What histograms, windows and samples may be asked for.
#include <cmath>

#include <fmt/format.h>

#include "pappus/error.h"
#include "pappus/histogram.h"
#include "pappus/over.h"
#include "pappus/rolling.h"
#include "pappus/sample.h"

namespace pappus::detail {

double check_histogram(std::int64_t n, double low, double high) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (n < 1 || n > most)
    throw usage_error(fmt::format("histogram: expected 1 to {} parts, got {} of them", most, n));
  if (!std::isfinite(high - low) || !(low < high))
    throw usage_error(fmt::format(
        "histogram: expected numbers low < high, got low = {} and high = {}", low, high));
  const double width = (high - low) / static_cast<double>(n);
  if (!(width > 0 && low + width > low))
    throw usage_error(fmt::format(
        "histogram: {} parts between {} and {} are narrower than numbers are apart", n, low, high));
  return width;
}

void check_rolling(std::int64_t n) {
  constexpr std::int64_t most = 4096;
  if (n < 1 || n > most)
    throw usage_error(fmt::format("rolling: expected windows of 1 to {} rows, got {}", most, n));
}

void refuse_rolling_order() {
  throw usage_error(
      "rolling: windows by time expect a group's records in the order of their times, none of them "
      "NaN: sort_by() before group_by()");
}

void check_sample(double part) {
  if (!(part >= 0 && part <= 1))
    throw usage_error(fmt::format("sample: expected a part from 0 to 1, got {}", part));
}

}  // namespace pappus::detail
