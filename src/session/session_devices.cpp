#include "session/session_devices.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "cost/rates_file.h"
#include "devices/measure.h"
#include "pappus/error.h"

namespace pappus::detail {
namespace {

cost::device_rates rates_of(const cost::stored_rates& stored,
                            const chunk_loop::device_session& device) {
  const auto& about = device.about();
  const std::string kind = devices::kind(about);
  auto rates = cost::guessed_rates(about.like_cpu, about.compute_units);
  if (const auto* measured = stored.find_device(kind, about.name)) rates = *measured;
  rates.name = about.name;
  rates.kind = kind;
  rates.host_memory = about.host_memory;
  rates.memory_bytes = static_cast<double>(device.memory().limit());
  if (device.memory().in_place()) {
    rates.transfer_us = 0;
    rates.to_gb_per_s = rates.from_gb_per_s = std::numeric_limits<double>::infinity();
  }
  return rates;
}

}  // namespace

session_devices::session_devices(const std::string& names, std::size_t memory_bytes,
                                 std::shared_ptr<memory::pool> host)
    : named_(!names.empty()), names_(names), memory_bytes_(memory_bytes), host_(std::move(host)) {
  if (named_) open();
}

session_devices::~session_devices() { host_->on_shortage(this, nullptr); }

/// What devices only keep for later is the host's, where their memory is. One that is at work is
/// left alone: whoever waits for memory may hold what it waits for.
void session_devices::give_back() noexcept {
  for (const auto& device : devices_) {
    if (!device->about().host_memory) continue;
    const std::unique_lock lock(device->on().lock, std::try_to_lock);
    if (lock.owns_lock()) device->memory().drop();
  }
}

void session_devices::open() {
  const std::lock_guard lock(mutex_);
  if (opened_) return;
  const auto chosen = devices::select(names_);
  for (const auto& on : chosen.devices) try {
      devices_.push_back(std::make_unique<chunk_loop::device_session>(on, memory_bytes_, host_));
    } catch (const devices::device_error& e) {
      faults_.push_back(fmt::format("{} is left out: {}", on->about().name, e.what()));
    }
  for (const auto& on : chosen.devices) names_there_.push_back(on->about().name);
  cpu_ = chosen.cpu;
  opened_ = true;
  host_->on_shortage(this, [this](std::size_t, std::string_view) {
    give_back();
    return false;  // who asks looks again by itself
  });
}

void session_devices::check_places(const plan::plan& p) {
  for (const auto& s : p.stages) {
    const std::string& list = s.node->stage.devices;
    if (list.empty() || list == "cpu") continue;
    open();
    const auto refuse = [&](const std::string& what) {
      throw usage_error(fmt::format("{}: on(\"{}\"): {}; there are {}", graph::label(*s.node), list,
                                    what, fmt::join(places(), ", ")));
    };
    for (const auto name : base::comma_list(list)) {
      const auto kind = name.substr(0, name.find(':'));
      if (kind != "cpu" && kind != "opencl" && kind != "test")
        refuse(fmt::format("expected cpu, opencl, opencl:NUMBER or test, got \"{}\"", name));
    }
    const auto is_named = [&](const std::string& name) { return plan::names_device(list, name); };
    if (std::ranges::none_of(places(), is_named))
      refuse("this session has no such device; add cpu to the list to run there then");
  }
}

/// The CPU runs what no device can, even where only devices were named.
std::vector<std::string> session_devices::places() const {
  std::vector<std::string> all{"cpu"};
  all.insert(all.end(), names_there_.begin(), names_there_.end());
  return all;
}

void session_devices::add_to(cost::machine& machine) {
  open();
  machine.cpu = cpu_ || devices_.empty();
  machine.devices.clear();
  if (devices_.empty()) return;
  const auto stored = cost::load_rates(cost::rates_path());
  static std::once_flag warned;
  if (!stored.warning.empty())
    std::call_once(warned, [&] { fmt::print(stderr, "pappus: {}\n", stored.warning); });
  cost::use_measured(machine, stored);
  for (const auto& device : devices_) machine.devices.push_back(rates_of(stored, *device));
}

ops::answer session_devices::ask(const graph::node& n, unsigned number) {
  auto& device = *devices_[number];
  if (!plan::names_device(n.stage.devices, device.about().name))
    return {.why_not = fmt::format("on(\"{}\") asks for another place", n.stage.devices)};
  return device_ops::ask(device, n);
}

double session_devices::bytes_there(const rows_ptr& rows, unsigned number) {
  auto& device = *devices_[number];
  const std::lock_guard lock(device.on().lock);
  return device.memory().bytes_kept(*rows);
}

std::vector<chunk_loop::device_session*> session_devices::all() {
  std::vector<chunk_loop::device_session*> found;
  for (const auto& device : devices_) found.push_back(device.get());
  return found;
}

std::vector<std::string> session_devices::faults() {
  const std::lock_guard lock(mutex_);
  return faults_;
}

}  // namespace pappus::detail
