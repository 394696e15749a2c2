#include "command/ratio_chart.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace pappus::bench {

std::string ratio_chart(const std::vector<chart_bar>& bars, const std::string& subtitle) {
  constexpr double left = 190, right = 60, top = 76, row = 30, width = 760;
  double most = 2;
  for (const auto& bar : bars) most = std::max({most, bar.ratio, bar.bound});
  most = std::ceil(most * 2) / 2;
  const double height = top + row * static_cast<double>(bars.size()) + 44;
  const auto x = [&](double ratio) { return left + (width - left - right) * ratio / most; };
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
      "<text x=\"24\" y=\"30\" font-size=\"17\" font-weight=\"600\" fill=\"#1b1f24\">"
      "Time of Pappus relative to the best hand-written code</text>\n"
      "<text x=\"24\" y=\"50\" fill=\"#57606a\">lower is better; orange: the bound we set "
      "ourselves; {2}</text>\n",
      width, height, subtitle);
  const double bottom = top + row * static_cast<double>(bars.size());
  for (double tick = 0; tick <= most + 1e-9; tick += 0.5)
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>"
        "<text x=\"{0:.1f}\" y=\"{4:.1f}\" text-anchor=\"middle\" fill=\"#57606a\">{5:g}×</text>\n",
        x(tick), top - 6, bottom, tick == 1 ? "#1b1f24" : "#e3e6ea", bottom + 20, tick);
  double y = top;
  for (const auto& bar : bars) {
    const bool within = bar.bound == 0 || bar.ratio <= bar.bound;
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"#1b1f24\">{}</text>"
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"16\" rx=\"2\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#1b1f24\">{:.2f}</text>\n",
        left - 10, y + 16, bar.name, x(0), y + 4, x(bar.ratio) - x(0),
        within ? "#2f6fb3" : "#c8553d", x(std::max(bar.ratio, bar.bound)) + 8, y + 16, bar.ratio);
    if (bar.bound > 0)
      svg += fmt::format(
          "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#e0a030\" "
          "stroke-width=\"3\"/>\n",
          x(bar.bound), y + 1, y + 23);
    y += row;
  }
  return svg + "</svg>\n";
}

}  // namespace pappus::bench
