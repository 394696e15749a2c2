// Where launches run: on the CPU, or on a device that takes less time.
//
// What an item touches is copied to a device and back, item by item, so a launch there takes the
// copies of all items, their kernels, and its traffic or work at the device's rates. A launch of
// which it isn't known what it touches can't be copied, and what only moves elements (fill, copy)
// would move them twice.
//
// Not here: arrays that stay on devices, and launches shared between devices.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "plan/batch.h"

namespace pappus::plan {
namespace {

using arrays::launch_of;

/// Of a device's memory: for an item.
constexpr double item_part = 0.5;

estimate on_device(const stage& s, const cost::device_rates& rates, unsigned number,
                   const ops::answer& answer) {
  estimate e{.where = rates.name, .devices = {number}, .why_not = answer.why_not};
  if (launch_of(*s.node).known == arrays::launch::knowledge::assumed)
    e.why_not = "what it touches isn't known, so it can't be copied there";
  if (s.bins) e.why_not = "it may reduce into all of a large array, whose values are put aside";
  // At the ends items may be smaller.
  if (const auto bytes = arrays::bytes_touched(launch_of(*s.node), typical_cell(s.items));
      e.why_not.empty() && bytes > item_part * rates.memory_bytes)
    e.why_not = fmt::format("an item of it ({}) takes more than half of its memory ({})",
                            base::bytes_text(bytes), base::bytes_text(rates.memory_bytes));
  const auto items = static_cast<double>(s.items.size());
  e.transfer_s = 2 * items * rates.transfer_us * 1e-6 + s.bytes.read / (rates.to_gb_per_s * 1e9) +
                 s.bytes.written / (rates.from_gb_per_s * 1e9);
  e.launch_s = items * answer.launches * rates.launch_us * 1e-6;
  e.build_s = answer.built ? 0 : rates.build_ms * 1e-3;
  const auto traffic = (s.bytes.read + s.bytes.written) / (rates.memory_gb_per_s * 1e9);
  e.work_s = std::max(traffic, s.work.total() / (rates.gops_per_s * 1e9));
  e.how = s.how;
  return e;
}

void choose(stage& s, bool devices_only) {
  auto& cpu = s.estimates.front();
  const auto can = [](const estimate& e) { return e.why_not.empty(); };
  if (devices_only && std::any_of(s.estimates.begin() + 1, s.estimates.end(), can))
    cpu.why_not = "only devices were asked for";
  const estimate* best = nullptr;
  for (const auto& e : s.estimates)
    if (can(e) && (best == nullptr || e.total() < best->total())) best = &e;
  s.where.devices = best->devices;
  s.seconds = best->total();
}

}  // namespace

void place_launches(plan& p, const batch_request& asked) {
  const auto& devices = asked.machine.devices;
  if (!asked.ask_device || devices.empty()) return;
  for (auto& s : p.stages) {
    if (launch_of(*s.node).place.empty()) continue;  // the library's own: they move elements
    s.estimates.push_back({.where = "cpu", .work_s = s.seconds, .how = s.how});
    for (unsigned d = 0; d < devices.size(); ++d)
      s.estimates.push_back(on_device(s, devices[d], d, asked.ask_device(*s.node, d)));
    choose(s, !asked.machine.cpu);
  }
}

}  // namespace pappus::plan
