#include "trace/timeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace pappus::trace {
namespace {

constexpr double first_slot_s = 1e-6;
constexpr double seldom_s = 1e-3;  // memory is looked at no more often

/// Of two neighbours, what their union is. Where labels differ the longer one is ahead by what it
/// had more.
timeline::slot joined(const timeline::slot& a, const timeline::slot& b) {
  timeline::slot both{a.busy_s + b.busy_s, 0, a.label};
  if (a.label == b.label) {
    both.of_label_s = a.of_label_s + b.of_label_s;
  } else {
    both.label = a.of_label_s >= b.of_label_s ? a.label : b.label;
    both.of_label_s = std::abs(a.of_label_s - b.of_label_s);
  }
  return both;
}

/// Halves the number of elements.
template <typename T, typename Join>
void halve(std::vector<T>& all, Join&& join) {
  const auto n = all.size();
  for (std::size_t i = 0; i < n; i += 2) all[i / 2] = i + 1 < n ? join(all[i], all[i + 1]) : all[i];
  all.resize((n + 1) / 2);
}

memory_levels larger(const memory_levels& a, const memory_levels& b) {
  return {std::max(a.in_use, b.in_use), std::max(a.held, b.held), std::max(a.spilled, b.spilled)};
}

constexpr memory_levels not_looked_at{-1, -1, -1};

}  // namespace

timeline::timeline(clock::time_point start)
    : start_(start), due_(start.time_since_epoch().count()) {
  all_.slot_s = first_slot_s;
}

double timeline::seconds_of(clock::time_point t) const {
  return std::max(0.0, std::chrono::duration<double>(t - start_).count());
}

void timeline::reach(double seconds) {
  while (seconds >= all_.slot_s * static_cast<double>(slots_max)) {
    all_.slot_s *= 2;
    for (auto& track : all_.tracks) halve(track.slots, joined);
    halve(all_.memory, larger);
  }
}

std::uint16_t timeline::number_of(std::string_view label) {
  if (const auto found = by_label_.find(label); found != by_label_.end()) return found->second;
  const bool full = all_.labels.size() == labels_max;
  const auto number = static_cast<std::uint16_t>(full ? labels_max - 1 : all_.labels.size());
  if (full) return number;
  const bool last = all_.labels.size() + 1 == labels_max;
  all_.labels.push_back({last ? "others" : std::string(label)});
  by_label_.emplace(all_.labels.back().text, number);
  return number;
}

void timeline::add(std::vector<slot>& to, double slot_s, double begin, double end,
                   std::uint16_t label) {
  const auto first = static_cast<std::size_t>(begin / slot_s),
             last = std::min(static_cast<std::size_t>(end / slot_s), slots_max - 1);
  if (to.size() <= last) to.resize(last + 1);
  for (auto i = first; i <= last; ++i) {
    const double low = std::max(begin, static_cast<double>(i) * slot_s),
                 high = std::min(end, static_cast<double>(i + 1) * slot_s);
    const auto seconds = static_cast<float>(std::max(0.0, high - low));
    to[i] = joined(to[i], {seconds, seconds, label});
    to[i].busy_s = std::min(to[i].busy_s, static_cast<float>(slot_s));
  }
}

void timeline::add(track_kind kind, std::string_view name, std::string_view label,
                   clock::time_point begin, clock::time_point end) {
  const double from = seconds_of(begin), to = std::max(from, seconds_of(end));
  const std::lock_guard lock(mutex_);
  const auto key = std::pair(kind, std::string(name));
  auto found = by_name_.find(key);
  if (found == by_name_.end()) {
    if (all_.tracks.size() == tracks_max) {
      ++all_.left_out;
      return;
    }
    found = by_name_.emplace(key, all_.tracks.size()).first;
    all_.tracks.push_back({kind, key.second});
  }
  reach(to);
  const auto number = number_of(label);
  if (kind == track_kind::worker || kind == track_kind::device)
    all_.labels[number].seconds += to - from;
  auto& track = all_.tracks[found->second];
  ++track.spans;
  add(track.slots, all_.slot_s, from, to, number);
}

void timeline::add_own(track_kind kind, std::string_view label, clock::time_point begin,
                       clock::time_point end) {
  add(kind, fmt::format("thread {}", thread_number()), label, begin, end);
}

void timeline::sample_by(std::function<memory_levels()> levels) {
  const std::lock_guard lock(sampling_);
  levels_ = std::move(levels);
}

void timeline::sample() {
  const std::lock_guard lock(sampling_);
  if (!levels_) return;
  const auto levels = levels_();
  const std::lock_guard also(mutex_);
  const auto now = clock::now();
  const double at = seconds_of(now);
  reach(at);
  const auto slot = static_cast<std::size_t>(at / all_.slot_s);
  if (all_.memory.size() <= slot) all_.memory.resize(slot + 1, not_looked_at);
  all_.memory[slot] = larger(all_.memory[slot], levels);
  all_.most = larger(all_.most, levels);
  const auto wait = std::chrono::duration_cast<clock::duration>(
      std::chrono::duration<double>(std::max(seldom_s, all_.slot_s)));
  due_.store((now + wait).time_since_epoch().count(), std::memory_order_relaxed);
}

timeline::content timeline::taken() const {
  const std::lock_guard lock(mutex_);
  auto content = all_;
  content.seconds = seconds_of(clock::now());
  for (auto& track : content.tracks)
    for (const auto& slot : track.slots) track.busy_s += static_cast<double>(slot.busy_s);
  return content;
}

}  // namespace pappus::trace
