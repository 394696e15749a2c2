// Who did what when: a track for each thread, device and disk, time to the right. How high a track
// is filled says how busy it was; the colour, with what.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/svg.h"
#include "base/text.h"
#include "report/pictures.h"
#include "report/scale.h"

namespace pappus::report {
namespace {

using trace::timeline, trace::track_kind;

constexpr double names_width = 150, busy_width = 60, row_height = 20, filled_height = 14;
constexpr double time_left = names_width, time_width = picture_width - names_width - busy_width;
constexpr std::size_t colours = 8;

/// Neighbouring slots that are drawn as one.
struct stretch {
  std::size_t first = 0, slots = 1;
  std::uint16_t label = timeline::no_label;
  int level = 0;  ///< quarters of the time that were busy

  bool continues(const stretch& other) const {
    return label == other.label && level == other.level && first + slots == other.first;
  }
};

std::vector<stretch> stretches_of(const std::vector<timeline::slot>& slots, double slot_s) {
  std::vector<stretch> all;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].busy_s <= 0) continue;
    const double part = static_cast<double>(slots[i].busy_s) / slot_s;
    const stretch one{i, 1, slots[i].label, std::clamp(static_cast<int>(part * 4 + 0.9), 1, 4)};
    if (!all.empty() && all.back().continues(one))
      ++all.back().slots;
    else
      all.push_back(one);
  }
  return all;
}

/// "thread 10" comes after "thread 9".
bool comes_before(const timeline::track& a, const timeline::track& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.name.size() != b.name.size()) return a.name.size() < b.name.size();
  return a.name < b.name;
}

class timeline_picture {
 public:
  explicit timeline_picture(const timeline::content& of) : of_(of) {
    for (const auto& track : of.tracks) tracks_.push_back(&track);
    std::ranges::sort(tracks_, [](auto* a, auto* b) { return comes_before(*a, *b); });
    left_out_ = tracks_.size() - std::min(tracks_.size(), drawn_tracks_max);
    tracks_.resize(tracks_.size() - left_out_);
    choose_colours();
  }

  std::string drawn() {
    const double top = 6, bottom = top + row_height * static_cast<double>(tracks_.size());
    for (const auto& tick : time_ticks(of_.seconds, 11)) {
      const double x = at(tick.at);
      picture_.path("grid", fmt::format("M {:.1f} {:.1f} V {:.1f}", x, top, bottom + 4));
      picture_.text(x, bottom + 18, "faint middle", tick.text);
    }
    double y = top;
    for (const auto* track : tracks_) draw(*track, std::exchange(y, y + row_height));
    y = bottom + 44;
    if (left_out_ > 0) {
      picture_.text(time_left, y, "faint", fmt::format("... {} more tracks", left_out_));
      y += 22;
    }
    y = draw_legend(y);
    return picture_.fragment(picture_width, y);
  }

 private:
  double at(double seconds) const {
    return time_left + time_width * (of_.seconds > 0 ? seconds / of_.seconds : 0);
  }

  void choose_colours() {
    std::vector<std::uint16_t> by_time;
    for (std::size_t i = 0; i < of_.labels.size(); ++i)
      by_time.push_back(static_cast<std::uint16_t>(i));
    std::ranges::sort(by_time, {},
                      [&](std::uint16_t i) { return std::pair(-of_.labels[i].seconds, i); });
    for (const auto label : by_time)
      if (shown_.size() < colours && of_.labels[label].seconds > 0) shown_.push_back(label);
  }

  std::size_t colour_of(std::uint16_t label) const {
    return static_cast<std::size_t>(std::ranges::find(shown_, label) - shown_.begin());
  }

  static std::string name_of(const timeline::track& track) {
    return track.kind == track_kind::query ? "steps, " + track.name : track.name;
  }

  void draw(const timeline::track& track, double y) {
    picture_.text(names_width - 12, y + 14, "faint end", base::shortened(name_of(track), 19));
    picture_.box(time_left, y + 3, time_width, filled_height, "idle");
    auto slots = track.slots;
    double slot_s = of_.slot_s;
    auto all = stretches_of(slots, slot_s);
    const auto most = drawn_shapes_max / std::max<std::size_t>(tracks_.size(), 1);
    while (all.size() > most) {  // as many pixels, fewer shapes
      for (std::size_t i = 0; i < slots.size(); i += 2) {
        auto both = slots[i];
        if (i + 1 < slots.size()) {
          if (slots[i + 1].of_label_s > both.of_label_s) both.label = slots[i + 1].label;
          both.busy_s += slots[i + 1].busy_s;
          both.of_label_s = std::max(both.of_label_s, slots[i + 1].of_label_s);
        }
        slots[i / 2] = both;
      }
      slots.resize((slots.size() + 1) / 2);
      slot_s *= 2;
      all = stretches_of(slots, slot_s);
    }
    draw(track, all, slot_s, y);
    const double busy = of_.seconds > 0 ? track.busy_s / of_.seconds : 0;
    picture_.text(picture_width - 4, y + 14, "faint end", fmt::format("{:.0f} %", busy * 100));
  }

  void draw(const timeline::track& track, const std::vector<stretch>& all, double slot_s,
            double y) {
    std::map<std::uint16_t, std::pair<std::string, double>> by_label;
    const double bottom = y + 3 + filled_height;
    for (const auto& one : all) {
      const double left = at(static_cast<double>(one.first) * slot_s),
                   right = std::min(at(static_cast<double>(one.first + one.slots) * slot_s),
                                    time_left + time_width),
                   height = filled_height * one.level / 4;
      auto& [steps, seconds] = by_label[one.label];
      steps += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", left, bottom,
                           std::max(right - left, 0.5), -height, -std::max(right - left, 0.5));
      seconds += static_cast<double>(one.slots) * slot_s * one.level / 4;
    }
    for (const auto& [label, drawn] : by_label)
      picture_.path(fmt::format("fill c{}", std::min(colour_of(label), colours)), drawn.first,
                    fmt::format("{}: {}, about {} of {}", name_of(track), of_.labels[label].text,
                                base::time_text(drawn.second), base::time_text(of_.seconds)));
  }

  double draw_legend(double y) {
    constexpr double column = picture_width / 2;
    const auto entry = [&](std::size_t number, std::size_t colour, const std::string& text) {
      const double x = number % 2 == 0 ? 4 : column;
      picture_.box(x, y - 10, 11, 11, fmt::format("fill c{}", colour));
      picture_.text(x + 19, y, "faint", base::shortened(text, 64));
      if (number % 2 == 1) y += 20;
    };
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const auto& label = of_.labels[shown_[i]];
      entry(i, i,
            fmt::format("{}  {}", base::shortened(label.text, 48), base::time_text(label.seconds)));
    }
    entry(shown_.size(), colours, "other steps");
    return shown_.size() % 2 == 1 ? y : y + 20;
  }

  const timeline::content& of_;
  std::vector<const timeline::track*> tracks_;
  std::vector<std::uint16_t> shown_;  ///< labels that have a colour
  std::size_t left_out_ = 0;
  base::svg picture_;
};

}  // namespace

std::string draw_timeline(const timeline::content& of) { return timeline_picture(of).drawn(); }

}  // namespace pappus::report
