// A scatter plot as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace demo {

struct tick {
  double at;
  std::string label;
};

/// Positions are on the axis's own scale: taking logarithms is the caller's business.
struct axis {
  std::string title;
  std::vector<tick> ticks;  ///< those outside [low, high] are left out
  double low = 0, high = 1;
};

struct point {
  double x, y;
};

struct series {
  std::string name;                ///< in the legend
  std::vector<std::string> notes;  ///< lines below the name, in grey
  std::string colour;              ///< "#rrggbb"
  std::vector<point> points;
  point centre;  ///< marked by a ring
};

/// The name of a dot, written beside it.
struct label {
  point at;
  std::string text;
};

struct scatter_plot {
  std::string title, subtitle;
  axis x, y;
  std::vector<demo::series> series;
  std::vector<label> labels;  ///< the most important first: those that would cover one are left out
};

/// Writes the plot beside `path` and renames it. Dots that would cover each other are drawn once,
/// the darker the more they are, so that the file's size is bounded by the picture's.
/// Throws pappus::format_error if the file can't be written.
void write_svg(const scatter_plot& plot, const std::string& path);

}  // namespace demo
