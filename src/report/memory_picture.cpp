// Memory over time: what sessions hold, what of it is in use, their budget where it is near, and
// what went to spill files.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/svg.h"
#include "base/text.h"
#include "report/pictures.h"
#include "report/scale.h"

namespace pappus::report {
namespace {

constexpr double scale_width = 90, chart_height = 170, chart_top = 8;
constexpr double chart_width = picture_width - scale_width - 10;
constexpr double chart_bottom = chart_top + chart_height;

class memory_picture {
 public:
  memory_picture(const trace::timeline::content& of, double budget) : of_(of), budget_(budget) {
    constexpr double near_budget = 0.4;
    const double most = std::max({of.most.in_use, of.most.held, of.most.spilled, 1.0});
    shows_budget_ = std::max(of.most.held, of.most.in_use) >= near_budget * budget;
    top_ = 1.06 * (shows_budget_ ? std::max(most, budget) : most);
  }

  std::string drawn() {
    for (const auto& tick : byte_ticks(top_, 6)) {
      const double y = height_of(tick.at);
      picture_.path("grid", fmt::format("M {:.1f} {:.1f} h {:.1f}", scale_width, y, chart_width));
      picture_.text(scale_width - 10, y + 4, "faint end", tick.text);
    }
    for (const auto& tick : time_ticks(of_.seconds, 11))
      picture_.text(x_of(tick.at), chart_bottom + 18, "faint middle", tick.text);
    draw("area use", &trace::memory_levels::in_use, true);
    draw("line use", &trace::memory_levels::in_use, false);
    draw("line held", &trace::memory_levels::held, false);
    if (of_.most.spilled > 0) draw("line spilled", &trace::memory_levels::spilled, false);
    if (shows_budget_)
      picture_.path("line budget", fmt::format("M {:.1f} {:.1f} h {:.1f}", scale_width,
                                               height_of(budget_), chart_width));
    return legend();
  }

 private:
  double x_of(double seconds) const {
    return scale_width + chart_width * (of_.seconds > 0 ? seconds / of_.seconds : 0);
  }
  double height_of(double bytes) const { return chart_bottom - chart_height * bytes / top_; }

  /// Levels stay as they are until they are looked at again.
  void draw(std::string_view kind, double trace::memory_levels::* level, bool closed) {
    std::string steps, before;
    double first = 0;
    for (std::size_t i = 0; i < of_.memory.size(); ++i) {
      const double bytes = of_.memory[i].*level;
      if (bytes < 0) continue;
      const auto height = fmt::format("{:.1f}", height_of(bytes));
      if (height == before) continue;
      before = height;
      const double x = x_of(std::min(static_cast<double>(i) * of_.slot_s, of_.seconds));
      if (steps.empty()) first = x;
      steps += fmt::format(
          "{} V {}",
          steps.empty() ? fmt::format("M {:.1f} {}", x, height) : fmt::format(" H {:.1f}", x),
          height);
    }
    if (steps.empty()) return;
    steps += fmt::format(" H {:.1f}", x_of(of_.seconds));
    if (closed) steps += fmt::format(" V {:.1f} H {:.1f} Z", chart_bottom, first);
    picture_.path(kind, steps);
  }

  std::string legend() {
    double x = scale_width;
    const double y = chart_bottom + 44;
    const auto entry = [&](const char* kind, const std::string& text) {
      picture_.path(kind, fmt::format("M {:.1f} {:.1f} h 18", x, y - 4));
      picture_.text(x + 26, y, "faint", text);
      x += 26 + base::letter_width * static_cast<double>(base::letters(text)) + 24;
    };
    entry("line use", "in use, at most " + base::bytes_text(of_.most.in_use));
    entry("line held", "with what is kept warm " + base::bytes_text(of_.most.held));
    if (shows_budget_) entry("line budget", "budget " + base::bytes_text(budget_));
    if (of_.most.spilled > 0)
      entry("line spilled", "written to spill files " + base::bytes_text(of_.most.spilled));
    return picture_.fragment(picture_width, y + 10);
  }

  const trace::timeline::content& of_;
  const double budget_;
  bool shows_budget_ = false;
  double top_ = 1;  ///< bytes
  base::svg picture_;
};

}  // namespace

std::string draw_memory(const trace::timeline::content& of, double budget) {
  return memory_picture(of, budget).drawn();
}

}  // namespace pappus::report
