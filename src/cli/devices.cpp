// pappus devices: what there is, disks too, how fast it is, and what a session would use.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "base/environment.h"
#include "base/text.h"
#include "cli/command.h"
#include "cost/rates_file.h"
#include "devices/measure.h"
#include "devices/registry.h"
#include "levels/kernels.h"
#include "memory/measure_disk.h"
#include "pappus/session.h"
#include "session/settings.h"
#include "system/team.h"
#include "system/triad.h"

namespace pappus::cli {
namespace {

std::string cache_text(int name) {
  const long bytes = ::sysconf(name);
  return bytes > 0 ? base::bytes_text(static_cast<double>(bytes)) : "?";
}

// Of the library's own loops; users' loops have the flags of their programs.
std::string level_text() {
  const auto used = levels::in_use(), best = levels::available().back();
  std::string text(levels::description(used));
  if (used != best)
    text += fmt::format(" (PAPPUS_LEVEL); the processor has {}", levels::description(best));
  return text;
}

void print(const char* name, const std::string& value) {
  std::cout << fmt::format("  {:<15}{}\n", name, value);
}

std::string age_text(const std::string& measured) {
  return measured.empty() ? "guessed; --measure measures them" : "measured on " + measured;
}

std::string today() {
  const std::chrono::year_month_day day(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

void measure_cpu(unsigned threads, cost::stored_rates& stored) {
  bench::team workers(static_cast<int>(threads));
  stored.remember(cost::cpu_rates{cost::processor_name(), threads,
                                  bench::triad_bytes_per_s(workers) / 1e9, today()});
}

void show_cpu(const session& s, const cost::stored_rates& stored) {
  std::cout << fmt::format("cpu: {}\n", cost::processor_name());
  print("threads", std::to_string(s.threads()));
  print("caches",
        fmt::format("{} L1 and {} L2 a core, {} L3", cache_text(_SC_LEVEL1_DCACHE_SIZE),
                    cache_text(_SC_LEVEL2_CACHE_SIZE), cache_text(_SC_LEVEL3_CACHE_SIZE)));
  print("level", level_text());
  print("memory budget", fmt::format("{} (PAPPUS_HOST_MEMORY changes it)",
                                     base::bytes_text(static_cast<double>(s.host_memory()))));
  auto machine = cost::this_machine(s.threads(), s.host_memory());
  cost::use_measured(machine, stored);
  const auto* measured = stored.find_cpu(cost::processor_name());
  print("memory rate", fmt::format("{:.1f} GB/s, all threads ({})", machine.memory_gb_per_s,
                                   age_text(measured != nullptr ? measured->measured : "")));
}

/// False when the device failed.
bool measure_device(devices::attached& on, cost::stored_rates& stored) {
  const auto& about = on.about();
  try {
    const std::lock_guard lock(on.lock);
    const auto found = devices::measure(*on.driver);
    const auto guess = cost::guessed_rates(about.like_cpu, about.compute_units);
    stored.remember(cost::device_rates{.name = about.name,
                                       .kind = devices::kind(about),
                                       .host_memory = about.host_memory,
                                       .memory_bytes = static_cast<double>(about.memory_bytes),
                                       .launch_us = found.launch_us,
                                       .transfer_us = found.transfer_us,
                                       .to_gb_per_s = found.to_gb_per_s,
                                       .from_gb_per_s = found.from_gb_per_s,
                                       .memory_gb_per_s = found.memory_gb_per_s,
                                       .gops_per_s = guess.gops_per_s,
                                       .build_ms = found.build_ms,
                                       .measured = today()});
    return true;
  } catch (const devices::device_error& problem) {
    std::cerr << fmt::format("pappus: {} can't be measured: {}\n", about.name, problem.what());
    return false;
  }
}

/// What `pappus devices` says of whether queries may run there.
std::string use_text(const devices::attached_ptr& on, const devices::selection& chosen) {
  if (std::ranges::find(chosen.devices, on) != chosen.devices.end()) return "yes";
  for (const auto& note : chosen.notes)
    if (note.starts_with(on->about().name + " ")) return "no: " + note;
  return "no: PAPPUS_DEVICES doesn't name it";
}

void show_device(const devices::attached_ptr& on, const devices::selection& chosen,
                 const cost::stored_rates& stored) {
  const auto& about = on->about();
  const auto* measured = stored.find_device(devices::kind(about), about.name);
  const auto rates =
      measured != nullptr ? *measured : cost::guessed_rates(about.like_cpu, about.compute_units);
  std::cout << fmt::format("{}: {}\n", about.name, about.model);
  print("used", use_text(on, chosen));
  print("driver", about.version);
  print("memory", fmt::format("{}{}, buffers of at most {}",
                              base::bytes_text(static_cast<double>(about.memory_bytes)),
                              about.host_memory ? " of the host's" : "",
                              base::bytes_text(static_cast<double>(about.buffer_bytes_max))));
  print("compute units", std::to_string(about.compute_units));
  print("rates", age_text(rates.measured));
  print("memory rate", fmt::format("{:.1f} GB/s", rates.memory_gb_per_s));
  print("copies",
        fmt::format("{:.1f} GB/s to it, {:.1f} GB/s from it, {} at least", rates.to_gb_per_s,
                    rates.from_gb_per_s, base::time_text(rates.transfer_us * 1e-6)));
  print("launch", base::time_text(rates.launch_us * 1e-6));
  print("build", base::time_text(rates.build_ms * 1e-3));
}

/// False when the disk failed.
bool measure_disk(const memory::spill_settings& settings, const std::string& folder,
                  cost::stored_rates& stored) {
  try {
    const auto found = memory::measure_disk(settings);
    stored.remember(cost::disk_rates{folder, found.write_gb_per_s, found.read_gb_per_s, today()});
    return true;
  } catch (const spill_error& problem) {
    std::cerr << fmt::format("pappus: {}\n", problem.what());
    return false;
  }
}

/// Where rows go that don't fit the budget.
void show_disk(bool off, const std::string& folder, const cost::stored_rates& stored) {
  std::cout << fmt::format("spill file: {}\n", off ? "off (PAPPUS_SPILL)"
                                               : folder.empty()
                                                   ? "none: name a folder on a disk (PAPPUS_SPILL)"
                                                   : "in " + folder);
  if (folder.empty()) return;
  const auto* measured = stored.find_disk(folder);
  print("disk rate",
        measured == nullptr
            ? "not known; --measure measures it"
            : fmt::format("{:.2f} GB/s written, {:.2f} GB/s read ({})", measured->write_gb_per_s,
                          measured->read_gb_per_s, age_text(measured->measured)));
}

int show(bool measure) {
  const session s;
  const auto spill = detail::spill_settings_of(detail::resolved({}));
  const auto folder =
      spill.off ? std::string() : std::make_shared<memory::spill_file>(spill)->folder();
  const char* names = base::environment("PAPPUS_DEVICES");
  const auto chosen = devices::select(names != nullptr ? names : "");
  auto listed = devices::all_devices();
  for (const auto& on : chosen.devices)
    if (std::ranges::find(listed, on) == listed.end()) listed.push_back(on);
  const auto path = cost::rates_path();
  auto stored = cost::load_rates(path);
  if (!stored.warning.empty()) std::cerr << "pappus: " << stored.warning << "\n";

  bool all_measured = true;
  if (measure) {
    measure_cpu(s.threads(), stored);
    for (const auto& on : listed) all_measured &= measure_device(*on, stored);
    if (!folder.empty()) all_measured &= measure_disk(spill, folder, stored);
    if (!path.empty()) cost::store_rates(path, stored);
  }
  show_cpu(s, stored);
  for (const auto& on : listed) show_device(on, chosen, stored);
  show_disk(spill.off, folder, stored);
  const auto is_told = [&](const std::string& note) {
    return std::ranges::any_of(
        listed, [&](const auto& on) { return note.starts_with(on->about().name + " "); });
  };
  for (const auto& note : chosen.notes)
    if (!is_told(note)) std::cout << "note: " << note << "\n";
  if (measure && !path.empty()) std::cout << "rates kept in " << path << "\n";
  return all_measured ? done : failed;
}

}  // namespace

void add_devices(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand("devices", "Lists the devices queries can run on");
  auto measure = std::make_shared<bool>(false);
  command->add_flag("--measure", *measure,
                    "Measure the rates of memory, devices and the spill file's disk and keep them "
                    "(some seconds, up to 1.5 GB, and 256 MiB of the disk)");
  command->callback([=, &chosen] { chosen = [measure] { return show(*measure); }; });
}

}  // namespace pappus::cli
