#include "pappus/plot.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "base/svg.h"
#include "base/text.h"
#include "front/plot/axis.h"
#include "pappus/error.h"

namespace pappus::detail {
namespace {

using front::axis;

constexpr const char* plot_style = R"(.paper { fill: #ffffff; }
.grid { stroke: #e4e8ec; fill: none; }
.frame { stroke: #8c959f; fill: none; }
.line { stroke: #0969da; stroke-width: 1.5; stroke-linejoin: round; fill: none; }
.points { stroke: #0969da; stroke-width: 4; stroke-linecap: round; opacity: 0.6; fill: none; }
.bar { fill: #54aeff; stroke: none; }
.title { font-weight: 600; }
)";

constexpr double margin = 14;
constexpr std::size_t bars_max = 60;

/// A picture with room for axes around what is drawn.
class canvas {
 public:
  canvas(const plot_request& asked, axis y) : asked_(asked), y_(std::move(y)) {
    front::add_ticks(y_, static_cast<std::size_t>(asked.how.height / 45));
    std::size_t widest = 0;
    for (const auto& one : y_.ticks) widest = std::max(widest, base::letters(one.text));
    left_ = margin + static_cast<double>(widest) * base::letter_width + 8;
    right_ = asked.how.width - margin - 10;
    top_ = margin + (asked.how.title.empty() ? 0 : base::line_height) +
           (asked.how.y.empty() ? 0 : base::line_height) + 6;
    bottom_ = asked.how.height - margin - (asked.how.x.empty() ? 1 : 2) * base::line_height - 4;
    picture_.box(0, 0, asked.how.width, asked.how.height, "paper");
    draw_y();
  }

  double width() const noexcept { return right_ - left_; }
  double x_of(double part) const noexcept { return left_ + part * width(); }
  double y_of(double value) const noexcept { return bottom_ - y_.part(value) * (bottom_ - top_); }

  void draw_x(const axis& x) {
    for (const auto& one : x.ticks) {
      const double at = x_of(x.part(one.at));
      picture_.path("frame", fmt::format("M {:.1f} {:.1f} v 4", at, bottom_));
      draw_x_text(at, one.text);
    }
  }
  void draw_x_text(double at, std::string_view text) {
    const double half = static_cast<double>(base::letters(text)) * base::letter_width / 2;
    picture_.text(std::clamp(at - half, 2.0, asked_.how.width - 2 * half - 2),
                  bottom_ + base::line_height + 2, "tick", text);
  }
  void bar(double from, double to, double value, std::string_view tip) {
    const double zero = y_of(std::clamp(0.0, y_.low, y_.high)), end = y_of(value);
    picture_.box(from, std::min(zero, end), to - from, std::abs(zero - end), "bar", tip);
  }
  void path(std::string_view kind, std::string_view steps) { picture_.path(kind, steps); }
  void note(std::string_view text) {
    picture_.text(left_ + 12, (top_ + bottom_) / 2, "tick", text);
  }

  void write() {
    picture_.path("frame",
                  fmt::format("M {:.1f} {:.1f} V {:.1f} H {:.1f}", left_, top_, bottom_, right_));
    try {
      base::atomic_file file(asked_.path);
      file.append(picture_.document(asked_.how.width, asked_.how.height, plot_style));
      file.commit();
    } catch (const base::file_problem& e) {
      throw format_error(fmt::format("plot: {}: {}", asked_.path, e.what()));
    }
  }

 private:
  void draw_y() {
    for (const auto& one : y_.ticks) {
      const double at = y_of(one.at);
      picture_.path("grid", fmt::format("M {:.1f} {:.1f} H {:.1f}", left_, at, right_));
      const double width = static_cast<double>(base::letters(one.text)) * base::letter_width;
      picture_.text(left_ - 6 - width, at + 4, "tick", one.text);
    }
    const auto& how = asked_.how;
    const auto room = [&](std::string_view text) {
      const auto most = static_cast<std::size_t>((how.width - 2 * margin) / base::letter_width);
      return base::shortened(text, std::max<std::size_t>(most, 3));
    };
    double line = margin + 10;
    if (!how.title.empty()) picture_.text(margin, line, "title", room(how.title));
    if (!how.title.empty()) line += base::line_height;
    if (!how.y.empty()) picture_.text(margin, line, "tick", room(how.y));
    if (!how.x.empty()) {
      const auto name = room(how.x);
      const double own = static_cast<double>(base::letters(name)) * base::letter_width;
      picture_.text((left_ + right_ - own) / 2, how.height - margin + 4, "tick", name);
    }
  }

  const plot_request& asked_;
  axis y_;
  base::svg picture_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

bool has_spot(const plot_point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

/// From 0, or a value below it, to one above.
template <typename Values>
axis heights_of(const Values& values) {
  double low = 0, high = 0;
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low == high ? axis{0, 1} : axis{low, high + (high - low) / 20};
}

std::string step_to(bool moves, double x, double y) {
  return fmt::format("{}{:.1f} {:.1f}", moves ? "M" : "L", x, y);
}

/// Of the points in one column of pixels that follow each other: the first, the least, the
/// greatest, the last.
class line_steps {
 public:
  void add(double x, double y) {
    if (const double column = std::floor(x); points_.empty() || column != column_) {
      end_column();
      column_ = column;
    }
    points_.push_back({x, y});
  }
  /// A point isn't there.
  void gap() {
    end_column();
    moves_ = true;
  }
  std::string take() {
    end_column();
    return std::move(steps_);
  }

 private:
  void end_column() {
    if (points_.empty()) return;
    const auto [least, greatest] = std::ranges::minmax_element(points_, {}, &plot_point::y);
    std::vector<std::vector<plot_point>::iterator> kept{points_.begin(), least, greatest,
                                                        points_.end() - 1};
    std::ranges::sort(kept);
    const auto repeated = std::ranges::unique(kept);
    kept.erase(repeated.begin(), repeated.end());
    for (const auto one : kept) {
      steps_ += step_to(moves_, one->x, one->y);
      moves_ = false;
    }
    points_.clear();
  }

  std::vector<plot_point> points_;
  double column_ = 0;
  bool moves_ = true;
  std::string steps_;
};

void draw_line(canvas& on, const axis& x, std::span<const plot_point> points) {
  line_steps steps;
  for (const auto& point : points) {
    if (has_spot(point))
      steps.add(on.x_of(x.part(point.x)), on.y_of(point.y));
    else
      steps.gap();
  }
  on.path("line", steps.take());
}

void draw_dots(canvas& on, const plot_request& asked, const axis& x,
               std::span<const plot_point> points) {
  const auto columns = static_cast<std::size_t>(asked.how.width);
  std::vector<bool> there(columns * static_cast<std::size_t>(asked.how.height), false);
  std::string steps;
  for (const auto& point : points) {
    if (!has_spot(point)) continue;
    const double across = std::round(on.x_of(x.part(point.x))), down = std::round(on.y_of(point.y));
    auto place = there[static_cast<std::size_t>(down) * columns + static_cast<std::size_t>(across)];
    if (place) continue;
    place = true;
    steps += fmt::format("M{:.0f} {:.0f}h0", across, down);
  }
  on.path("points", steps);
}

void add_ticks_of(axis& x, const plot_request& asked, const canvas& on) {
  constexpr double of_number = 80, of_moment = 100;
  const bool numbers = asked.x == axis_kind::numbers;
  const auto most = static_cast<std::size_t>(on.width() / (numbers ? of_number : of_moment));
  if (numbers)
    front::add_ticks(x, std::max<std::size_t>(most, 1));
  else
    front::add_moments(x, asked.x, std::max<std::size_t>(most, 1));
}

void draw_nothing(const plot_request& asked) {
  canvas on(asked, axis{});
  on.note("no values");
  on.write();
}

}  // namespace

void check_plot(const plot_request& asked) {
  if (!asked.path.ends_with(".svg"))
    throw usage_error(
        fmt::format("plot: expected a path that ends in .svg, got \"{}\"", asked.path));
  constexpr int least = 200, most = 4000;
  for (const int pixels : {asked.how.width, asked.how.height})
    if (pixels < least || pixels > most)
      throw usage_error(
          fmt::format("plot: expected {} to {} pixels each way, got {}", least, most, pixels));
  constexpr std::int64_t bins_most = 1000;
  if (asked.how.bins < 1 || asked.how.bins > bins_most)
    throw usage_error(
        fmt::format("plot: expected 1 to {} bins, got {}", bins_most, asked.how.bins));
}

std::pair<double, double> histogram_ends(double low, double high) {
  const auto ends = front::axis_between(low, high);
  return {ends.low, ends.high};
}

void draw_points(const plot_request& asked, std::span<const plot_point> points) {
  std::vector<plot_point> drawn;
  for (const auto& point : points)
    if (has_spot(point)) drawn.push_back(point);
  if (drawn.empty()) return draw_nothing(asked);
  const auto [left, right] = std::ranges::minmax(drawn, {}, &plot_point::x);
  const auto [low, high] = std::ranges::minmax(drawn, {}, &plot_point::y);
  auto kind = asked.how.kind;
  if (kind == plot_kind::by_kind)
    kind = asked.x == axis_kind::numbers ? plot_kind::points : plot_kind::lines;
  if (kind == plot_kind::bars && drawn.size() > bars_max)
    throw usage_error(fmt::format("plot: expected {} bars at most, got {}; take the top ones first",
                                  bars_max, base::count_text(std::ssize(drawn))));
  std::vector<double> heights;
  for (const auto& point : drawn) heights.push_back(point.y);
  canvas on(asked,
            kind == plot_kind::bars ? heights_of(heights) : front::axis_between(low.y, high.y));
  auto x = front::axis_between(left.x, right.x);
  if (kind == plot_kind::bars) {  // half a bar lies at either side
    const double half = (x.high - x.low) / static_cast<double>(2 * drawn.size());
    x = {x.low - half, x.high + half};
  }
  add_ticks_of(x, asked, on);
  on.draw_x(x);
  if (kind == plot_kind::lines) {
    draw_line(on, x, points);
  } else if (kind == plot_kind::points) {
    draw_dots(on, asked, x, points);
  } else {
    const double half = 0.4 * on.width() / static_cast<double>(drawn.size() + 1);
    for (const auto& point : drawn) {
      const double at = on.x_of(x.part(point.x));
      on.bar(at - half, at + half, point.y, fmt::format("{:g}", point.y));
    }
  }
  on.write();
}

void draw_bars(const plot_request& asked, std::span<const plot_bar> bars) {
  if (bars.empty()) return draw_nothing(asked);
  if (asked.how.kind == plot_kind::lines || asked.how.kind == plot_kind::points)
    throw usage_error("plot: expected numbers, dates or times as x of lines and points, got names");
  if (bars.size() > bars_max)
    throw usage_error(
        fmt::format("plot: expected {} names at most, got {}; take the top ones first", bars_max,
                    base::count_text(std::ssize(bars))));
  std::vector<double> heights;
  for (const auto& bar : bars) heights.push_back(std::isfinite(bar.y) ? bar.y : 0);
  canvas on(asked, heights_of(heights));
  const double each = on.width() / static_cast<double>(bars.size());
  const auto room = static_cast<std::size_t>(each / base::letter_width);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double middle =
        on.x_of((static_cast<double>(i) + 0.5) / static_cast<double>(bars.size()));
    if (std::isfinite(bars[i].y))
      on.bar(middle - 0.4 * each, middle + 0.4 * each, bars[i].y,
             fmt::format("{}: {:g}", bars[i].name, bars[i].y));
    if (room > 2) on.draw_x_text(middle, base::shortened(bars[i].name, room));
  }
  on.write();
}

void draw_histogram(const plot_request& asked, std::span<const histogram_bin> bins) {
  if (bins.empty()) return draw_nothing(asked);
  std::vector<double> heights;
  for (const auto& bin : bins) heights.push_back(static_cast<double>(bin.count));
  auto named = asked;
  if (named.how.y.empty()) named.how.y = "count";
  canvas on(named, heights_of(heights));
  axis x{bins.front().from, bins.back().to};
  add_ticks_of(x, asked, on);
  on.draw_x(x);
  for (const auto& bin : bins)
    if (bin.count > 0)
      on.bar(on.x_of(x.part(bin.from)) + 0.5, on.x_of(x.part(bin.to)) - 0.5,
             static_cast<double>(bin.count),
             fmt::format("{:g} to {:g}: {}", bin.from, bin.to, base::count_text(bin.count)));
  on.write();
}

}  // namespace pappus::detail
