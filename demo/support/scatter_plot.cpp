// Tens of thousands of dots as one SVG element each make a file of megabytes that viewers open
// slowly. Here the plot is cut into cells of half a dot; a cell's dots of one colour become one, in
// one of a few opacities by their number, and all dots of one colour and opacity are one path: its
// subpaths have length 0 and round caps, which draws discs. A path is painted as a whole, so that
// overlapping dots of one opacity don't darken each other and the opacities keep their meaning.
#include "demo/support/scatter_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "pappus/error.h"

namespace demo {
namespace {

// Pixels.
constexpr double width = 1200, height = 760;
constexpr double left = 84, right = 880, top = 128, bottom = 684;
constexpr double dot = 3.4, cell = dot / 2;

constexpr std::array<double, 3> opacities{0.38, 0.65, 0.95};
constexpr std::array<std::size_t, 3> dots_at_least{1, 3, 8};

constexpr const char* style = R"(<style>
text { font-family: "Inter", "Helvetica Neue", "Liberation Sans", Arial, sans-serif; fill: #222; }
.title { font-size: 22px; font-weight: 600; }
.subtitle { font-size: 13.5px; fill: #666; }
.tick { font-size: 12px; fill: #666; }
.axis { font-size: 13.5px; fill: #333; }
.name { font-size: 14px; font-weight: 600; }
.note { font-size: 12px; fill: #666; }
.label { font-size: 12px; fill: #222; stroke: #fff; stroke-width: 3px; paint-order: stroke; }
.grid { stroke: #e9e9e9; stroke-width: 1; }
.dots { fill: none; stroke-linecap: round; }
</style>
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t letters_max = 36;
  return text.size() <= letters_max ? text : text.substr(0, letters_max - 1) + "\u2026";
}

class picture {
 public:
  explicit picture(const scatter_plot& plot) : plot_(plot) {
    out_.precision(6);
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
         << "\" width=\"" << width << "\" height=\"" << height << "\">\n"
         << style << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    text(left, 42, "title", plot.title);
    text(left, 66, "subtitle", plot.subtitle);
    axes();
    for (const series& s : plot.series) dots(s);
    for (const series& s : plot.series) ring(s);
    labels();
    legend();
    out_ << "</svg>\n";
  }

  std::string svg() const { return out_.str(); }

 private:
  double x_of(double x) const {
    return left + (x - plot_.x.low) / (plot_.x.high - plot_.x.low) * (right - left);
  }
  double y_of(double y) const {
    return bottom - (y - plot_.y.low) / (plot_.y.high - plot_.y.low) * (bottom - top);
  }

  void text(double x, double y, const char* kind, const std::string& content,
            const char* more = "") {
    out_ << "<text class=\"" << kind << "\" x=\"" << x << "\" y=\"" << y << "\" " << more << '>'
         << escaped(content) << "</text>\n";
  }

  void line(double x1, double y1, double x2, double y2) {
    out_ << "<path class=\"grid\" d=\"M" << x1 << ' ' << y1 << 'L' << x2 << ' ' << y2 << "\"/>\n";
  }

  void axes() {
    const auto inside = [](const axis& a, const tick& t) {
      return t.at >= a.low && t.at <= a.high;
    };
    for (const tick& t : plot_.x.ticks) {
      if (!inside(plot_.x, t)) continue;
      line(x_of(t.at), top, x_of(t.at), bottom);
      text(x_of(t.at), bottom + 20, "tick", t.label, "text-anchor=\"middle\"");
    }
    for (const tick& t : plot_.y.ticks) {
      if (!inside(plot_.y, t)) continue;
      line(left, y_of(t.at), right, y_of(t.at));
      text(left - 10, y_of(t.at) + 4, "tick", t.label, "text-anchor=\"end\"");
    }
    text((left + right) / 2, bottom + 48, "axis", plot_.x.title + " \u2192",
         "text-anchor=\"middle\"");
    text(left, top - 18, "axis", "\u2191 " + plot_.y.title);
  }

  void dots(const series& s) {
    std::map<std::pair<int, int>, std::size_t> cells;
    for (const point& p : s.points)
      ++cells[{static_cast<int>(std::floor(x_of(p.x) / cell)),
               static_cast<int>(std::floor(y_of(p.y) / cell))}];
    for (std::size_t level = 0; level < opacities.size(); ++level) {
      std::ostringstream path;
      for (const auto& [at, count] : cells) {
        const bool denser = level + 1 < opacities.size() && count >= dots_at_least[level + 1];
        if (count < dots_at_least[level] || denser) continue;
        path << 'M' << (at.first + 0.5) * cell << ' ' << (at.second + 0.5) * cell << "h0";
      }
      if (path.view().empty()) continue;
      out_ << "<path class=\"dots\" stroke=\"" << s.colour << "\" stroke-width=\"" << dot
           << "\" stroke-opacity=\"" << opacities[level] << "\" d=\"" << path.view() << "\"/>\n";
    }
  }

  void ring(const series& s) {
    if (s.points.empty()) return;
    for (const auto& [colour, stroke] : {std::pair("#fff", 7.0), std::pair(s.colour.c_str(), 3.5)})
      out_ << "<circle cx=\"" << x_of(s.centre.x) << "\" cy=\"" << y_of(s.centre.y)
           << "\" r=\"9\" fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"" << stroke
           << "\"/>\n";
  }

  /// Where a text lies: its left end and its width.
  struct extent {
    double x, y, length;
    bool overlaps(const extent& other) const {
      return std::abs(y - other.y) < 15 && x < other.x + other.length && other.x < x + length;
    }
  };

  void labels() {
    constexpr double letter_width = 7, gap = 7;
    std::vector<extent> taken;
    for (const auto& [at, name] : plot_.labels) {
      const double x = x_of(at.x), y = y_of(at.y) + 4;
      const double length = letter_width * static_cast<double>(name.size());
      for (const double begin : {x + gap, x - gap - length}) {  // right of the dot, else left of it
        const extent place{begin, y, length};
        const auto covers = [&](const extent& other) { return place.overlaps(other); };
        if (begin < left || begin + length > right || std::ranges::any_of(taken, covers)) continue;
        taken.push_back(place);
        const bool after = begin > x;
        text(after ? begin : x - gap, y, "label", name, after ? "" : "text-anchor=\"end\"");
        break;
      }
    }
  }

  void legend() {
    double y = top + 5;
    for (const series& s : plot_.series) {
      out_ << "<circle cx=\"" << right + 38 << "\" cy=\"" << y - 5 << "\" r=\"7\" fill=\""
           << s.colour << "\"/>\n";
      text(right + 56, y, "name", s.name);
      y += 19;
      for (const std::string& note : s.notes) {
        text(right + 56, y, "note", shortened(note));
        y += 17;
      }
      y += 18;
    }
    out_ << "<circle cx=\"" << right + 38 << "\" cy=\"" << y - 5
         << "\" r=\"7\" fill=\"none\" stroke=\"#666\" stroke-width=\"3\"/>\n";
    text(right + 56, y, "note", "a cluster's centre");
  }

  const scatter_plot& plot_;
  std::ostringstream out_;
};

}  // namespace

void write_svg(const scatter_plot& plot, const std::string& path) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << picture(plot).svg();
  file.close();
  if (file && std::rename(partial.c_str(), path.c_str()) == 0) return;
  std::remove(partial.c_str());
  throw pappus::format_error(path + ": can't be written; is the folder there and writable?");
}

}  // namespace demo
