#include "report/scale.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace pappus::report {

std::vector<tick> time_ticks(double seconds, std::size_t most) {
  if (!(seconds > 0)) return {{0, "0 s"}};
  double unit = std::pow(10, std::floor(std::log10(seconds)) - 1), step = unit;
  for (const double times : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
    step = times * unit;
    if (seconds / step + 1 <= static_cast<double>(most)) break;
  }
  const bool is_s = step >= 0.1, is_ms = !is_s && step >= 1e-4;
  const double shown = is_s ? 1 : is_ms ? 1e3 : 1e6;
  const char* const name = is_s ? "s" : is_ms ? "ms" : "us";
  std::vector<tick> all;
  for (int i = 0; i * step <= seconds; ++i)
    all.push_back({i * step, fmt::format("{:.6g} {}", i * step * shown, name)});
  return all;
}

std::vector<tick> byte_ticks(double bytes, std::size_t most) {
  double step = 1;
  while (bytes / step + 1 > static_cast<double>(most)) step *= 2;
  std::vector<tick> all;
  for (int i = 0; i * step <= bytes; ++i)
    all.push_back({i * step, i == 0 ? "0" : base::bytes_text(i * step)});
  return all;
}

}  // namespace pappus::report
