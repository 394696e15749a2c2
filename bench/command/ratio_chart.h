// The ratios of a benchmark run as a picture.
#pragma once

#include <string>
#include <vector>

namespace pappus::bench {

struct chart_bar {
  std::string name;
  double ratio;  ///< Pappus / hand-written
  double bound;  ///< what it should not exceed; 0: none
};

/// An SVG document: one bar a benchmark, a line at 1 (as fast as hand-written), a mark at each
/// bound.
std::string ratio_chart(const std::vector<chart_bar>& bars, const std::string& subtitle);

}  // namespace pappus::bench
