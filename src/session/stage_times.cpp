#include "session/stage_times.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "pappus/detail/base/hash.h"
#include "pappus/detail/base/loop.h"

namespace pappus::detail {
namespace {

void add(std::uint64_t& key, std::uint64_t part) { key = mix(key ^ part); }
void add(std::uint64_t& key, std::string_view text) {
  add(key, std::hash<std::string_view>{}(text));
}

}  // namespace

/// Of 64 bits: should two stages ever have the same, a prediction is wrong, no more.
std::uint64_t stage_times::key(const plan::stage& s, std::span<const unsigned> devices) {
  const auto& n = *s.node;
  std::uint64_t made = 0;
  for (const auto device : devices) add(made, device + 1);
  // Made for the stage's type, so it stands for the functions in it.
  add(made, reinterpret_cast<std::uintptr_t>(n.stage.describe));
  for (const auto& op : n.stage.ops) add(made, op.name);
  add(made, n.name);
  add(made, n.out.name);
  for (const auto& input : n.stage.inputs) add(made, input->out.name);
  add(made, std::bit_width(static_cast<std::uint64_t>(s.side_rows)));
  if (s.limit != INT64_MAX) add(made, 1 + std::bit_width(static_cast<std::uint64_t>(s.limit)));
  if (s.body == nullptr) return made;
  add(made, n.op->loop_of(n)->condition.target_type().hash_code());
  for (const auto& part : s.body->stages)
    if (!part.is_there() && !part.outside) add(made, key(part, {}));
  return made;
}

void stage_times::remember(const plan::stage& s, double rows, double seconds,
                           plan::past_loop past) {
  if (seconds < seconds_min || rows < 1) return;
  const auto which = key(s, s.where.devices);
  const std::lock_guard lock(mutex_);
  auto& e = known_[which];
  e.seconds_per_row[e.count++ % entry::kept] = seconds / rows;
  e.past = past;
  any_ = true;
}

std::optional<double> stage_times::find(const plan::stage& s,
                                        std::span<const unsigned> devices) const {
  if (!any_.load(std::memory_order_relaxed)) return std::nullopt;
  const auto which = key(s, devices);
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(which);
  if (found == known_.end()) return std::nullopt;
  auto times = found->second.seconds_per_row;
  const auto n = std::min(found->second.count, entry::kept);
  std::sort(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(n));
  return times[n / 2];
}

plan::past_loop stage_times::past(const plan::stage& s) const {
  if (!any_.load(std::memory_order_relaxed)) return {};
  const auto which = key(s, s.where.devices);
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(which);
  return found == known_.end() ? plan::past_loop{} : found->second.past;
}

}  // namespace pappus::detail
