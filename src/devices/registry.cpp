#include "devices/registry.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/text.h"
#include "pappus/error.h"

namespace pappus::devices {
namespace {

attached_ptr attach(std::unique_ptr<device> driver) {
  static std::atomic<unsigned> next{0};
  auto result = std::make_shared<attached>(std::move(driver));
  result->number = next++;
  return result;
}

struct machine {
  std::vector<attached_ptr> devices;
  std::vector<std::string> notes;
};

machine open_machine() {
  machine found;
  for (auto& driver : open_opencl_devices(found.notes))
    found.devices.push_back(attach(std::move(driver)));
  return found;
}

// Never destroyed. When a process ends, drivers' own static objects and threads are taken down in
// an order that nobody controls, and calling a driver then may crash or hang; the system frees all
// anyway.
const machine& this_machine() {
  static const machine* const found = new machine(open_machine());
  return *found;
}

bool is_hosts_own(const properties& p) { return p.like_cpu && p.host_memory; }

[[noreturn]] void refuse(std::string_view list, const std::string& what) {
  std::string text = "devices \"" + std::string(list) + "\": " + what + "; there are cpu";
  for (const attached_ptr& d : this_machine().devices)
    text += ", " + d->about().name + " (" + d->about().model + ")";
  text += " and test:SPECIFICATION";
  for (const std::string& note : this_machine().notes) text += "; " + note;
  throw usage_error(text);
}

void add_opencl(std::string_view list, std::string_view name, selection& chosen) {
  const std::size_t before = chosen.devices.size();
  bool found = false;
  for (const attached_ptr& d : this_machine().devices) {
    const std::string& full = d->about().name;
    if (name != full && !(name == "opencl" && full.starts_with("opencl:"))) continue;
    found = true;
    const auto end = chosen.devices.begin() + static_cast<std::ptrdiff_t>(before);
    if (std::find(chosen.devices.begin(), end, d) == end) chosen.devices.push_back(d);
  }
  if (!found) refuse(list, "no device is named \"" + std::string(name) + '"');
}

selection usual() {
  selection chosen;
  chosen.notes = this_machine().notes;
  for (const attached_ptr& d : this_machine().devices) {
    if (!is_hosts_own(d->about()))
      chosen.devices.push_back(d);
    else
      chosen.notes.push_back(d->about().name + " (" + d->about().model +
                             ") runs on the cores that the cpu device uses; name it to use it");
  }
  return chosen;
}

}  // namespace

selection select(std::string_view list) {
  if (base::trimmed(list).empty()) return usual();
  selection chosen;
  chosen.cpu = false;
  for (const auto name : base::comma_list(list)) {
    if (name == "cpu")
      chosen.cpu = true;
    else if (name == "opencl" || name.starts_with("opencl:"))
      add_opencl(list, name, chosen);
    else if (name == "test" || name.starts_with("test:"))
      chosen.devices.push_back(attach(open_test_device(
          name.substr(std::min<std::size_t>(name.size(), std::string_view("test:").size())))));
    else
      refuse(list, "expected cpu, opencl, opencl:NUMBER or test:SPECIFICATION, got \"" +
                       std::string(name) + '"');
  }
  return chosen;
}

std::vector<attached_ptr> all_devices() { return this_machine().devices; }

}  // namespace pappus::devices
