// How far a forecast of the climate agrees with what was observed: of the anomalies of both, means
// of products over time for each place, which make their correlation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "system/scratch_file.h"
#include "system/team.h"

namespace pappus::bench::anomaly {

struct layout {
  std::int64_t steps, rows, columns;

  std::int64_t places() const { return rows * columns; }
};

/// \param n  numbers of each file, about
layout layout_of(std::int64_t n);

/// Floats, those of a step together.
struct fields {
  layout of;
  input_bytes forecast, observed;
};
fields make_anomaly(std::int64_t n, std::uint64_t seed, team& workers);

/// Of each place.
struct means {
  std::vector<double> xy, xx, yy;

  explicit means(std::int64_t places = 0)
      : xy(static_cast<std::size_t>(places)), xx(xy.size()), yy(xy.size()) {}
};

/// Sums of the means, and one of correlations by place.
std::string checksum(const means& of);

void sequential(const fields& from, means& to);
void handwritten(const fields& from, means& to, team& workers);

}  // namespace pappus::bench::anomaly
