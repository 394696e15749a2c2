#include "cost/rates_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/cache_folder.h"
#include "base/environment.h"
#include "pappus/error.h"

namespace pappus::cost {
namespace {

using nlohmann::ordered_json;

constexpr const char* format_key = "pappus_rates";
constexpr int format_number = 1;

/// Files of before it was known: as a device of 20 compute units.
const double unmeasured_gops = guessed_rates(false, 20).gops_per_s;

/// A rate that isn't a positive number would poison every decision made with it.
double positive(const ordered_json& object, const char* key) {
  const auto value = object.at(key).get<double>();
  if (!(value > 0) || !std::isfinite(value))
    throw std::runtime_error(fmt::format("{}: expected a positive number, got {}", key, value));
  return value;
}

cpu_rates cpu_of(const ordered_json& object) {
  return {.name = object.at("name"),
          .threads = std::max(object.at("threads").get<unsigned>(), 1u),
          .memory_gb_per_s = positive(object, "memory_gb_per_s"),
          .measured = object.at("measured")};
}

device_rates device_of(const ordered_json& object) {
  return {.name = object.at("name"),
          .kind = object.at("kind"),
          .host_memory = object.at("host_memory"),
          .memory_bytes = positive(object, "memory_bytes"),
          .launch_us = positive(object, "launch_us"),
          .transfer_us = positive(object, "transfer_us"),
          .to_gb_per_s = positive(object, "to_gb_per_s"),
          .from_gb_per_s = positive(object, "from_gb_per_s"),
          .memory_gb_per_s = positive(object, "memory_gb_per_s"),
          .gops_per_s =
              object.contains("gops_per_s") ? positive(object, "gops_per_s") : unmeasured_gops,
          .build_ms = positive(object, "build_ms"),
          .measured = object.at("measured")};
}

disk_rates disk_of(const ordered_json& object) {
  return {.folder = object.at("folder"),
          .write_gb_per_s = positive(object, "write_gb_per_s"),
          .read_gb_per_s = positive(object, "read_gb_per_s"),
          .measured = object.at("measured")};
}

stored_rates rates_of(const ordered_json& file) {
  if (!file.is_object() || !file.contains(format_key))
    throw std::runtime_error(fmt::format("it has no \"{}\"", format_key));
  if (file.at(format_key) != format_number)
    throw std::runtime_error(fmt::format("{}: expected {}, got {}", format_key, format_number,
                                         file.at(format_key).dump()));
  stored_rates rates;
  for (const auto& object : file.at("cpus")) rates.cpus.push_back(cpu_of(object));
  for (const auto& object : file.at("devices")) rates.devices.push_back(device_of(object));
  if (file.contains("disks"))  // files of before disks were measured have none
    for (const auto& object : file.at("disks")) rates.disks.push_back(disk_of(object));
  return rates;
}

ordered_json json_of(const stored_rates& rates) {
  ordered_json file{{format_key, format_number},
                    {"cpus", ordered_json::array()},
                    {"devices", ordered_json::array()},
                    {"disks", ordered_json::array()}};
  for (const auto& r : rates.cpus)
    file["cpus"].push_back({{"name", r.name},
                            {"threads", r.threads},
                            {"memory_gb_per_s", r.memory_gb_per_s},
                            {"measured", r.measured}});
  for (const auto& r : rates.devices)
    file["devices"].push_back({{"name", r.name},
                               {"kind", r.kind},
                               {"host_memory", r.host_memory},
                               {"memory_bytes", r.memory_bytes},
                               {"launch_us", r.launch_us},
                               {"transfer_us", r.transfer_us},
                               {"to_gb_per_s", r.to_gb_per_s},
                               {"from_gb_per_s", r.from_gb_per_s},
                               {"memory_gb_per_s", r.memory_gb_per_s},
                               {"gops_per_s", r.gops_per_s},
                               {"build_ms", r.build_ms},
                               {"measured", r.measured}});
  for (const auto& r : rates.disks)
    file["disks"].push_back({{"folder", r.folder},
                             {"write_gb_per_s", r.write_gb_per_s},
                             {"read_gb_per_s", r.read_gb_per_s},
                             {"measured", r.measured}});
  return file;
}

}  // namespace

const cpu_rates* stored_rates::find_cpu(std::string_view name) const {
  for (const auto& r : cpus)
    if (r.name == name) return &r;
  return nullptr;
}

const device_rates* stored_rates::find_device(std::string_view kind, std::string_view name) const {
  const device_rates* found = nullptr;
  for (const auto& r : devices) {
    if (r.kind != kind) continue;
    if (r.name == name) return &r;
    if (found == nullptr) found = &r;
  }
  return found;
}

const disk_rates* stored_rates::find_disk(std::string_view folder) const {
  for (const auto& r : disks)
    if (r.folder == folder) return &r;
  return nullptr;
}

void stored_rates::remember(cpu_rates rates) {
  std::erase_if(cpus, [&](const cpu_rates& r) { return r.name == rates.name; });
  cpus.push_back(std::move(rates));
}

void stored_rates::remember(device_rates rates) {
  std::erase_if(
      devices, [&](const device_rates& r) { return r.kind == rates.kind && r.name == rates.name; });
  devices.push_back(std::move(rates));
}

void stored_rates::remember(disk_rates rates) {
  std::erase_if(disks, [&](const disk_rates& r) { return r.folder == rates.folder; });
  disks.push_back(std::move(rates));
}

void use_measured(machine& m, const stored_rates& rates) {
  if (rates.cpus.empty()) return;  // asking for the processor's name takes longer
  if (const auto* cpu = rates.find_cpu(processor_name()))
    m.memory_gb_per_s = scaled_bandwidth(cpu->memory_gb_per_s, cpu->threads, m.threads);
}

std::string rates_path() {
  if (const char* path = base::environment("PAPPUS_MACHINE")) return path;
  const auto folder = base::cache_folder();
  return folder.empty() ? std::string() : (folder / "machine.json").string();
}

stored_rates load_rates(const std::string& path) {
  try {
    std::error_code missing;
    if (path.empty() || !std::filesystem::exists(path, missing)) return {};
    std::ifstream in(path);
    if (!in) throw std::runtime_error("it can't be read");
    return rates_of(ordered_json::parse(in));
  } catch (const std::exception& e) {
    stored_rates none;
    none.warning = fmt::format(
        "{} isn't a file of measured rates and is ignored ({}); remove it, or run "
        "pappus devices --measure to replace it",
        path, e.what());
    return none;
  }
}

void store_rates(const std::string& path, const stored_rates& rates) {
  try {
    base::atomic_file file(path, base::atomic_file::folder::made);
    file.append(json_of(rates).dump(2) + '\n');
    file.commit();
  } catch (const base::file_problem& problem) {
    throw error(
        fmt::format("{}: the file of measured rates {}; name another one with PAPPUS_MACHINE", path,
                    problem.what()));
  }
}

}  // namespace pappus::cost
