// Benchmarks over files: with the files' pages in the system's cache, or, --cold, without.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "memory/measure_disk.h"
#include "system/scratch_file.h"
#include "system/suite.h"

namespace pappus::bench {

/// As compare(), of versions that read files; cold: "_cold" is added to the name, and the floor is
/// what the disk needs.
inline std::vector<result> compare_reading(const stage& on, std::string name, std::int64_t n,
                                           double min_bytes, std::vector<version> versions,
                                           std::vector<input_files*> files) {
  std::function<void()> before;
  if (on.asked.cold) {
    name += "_cold";
    before = [&] {
      for (auto* file : files) file->leave_page_cache();
    };
  }
  auto results = compare(on, std::move(name), n, min_bytes, std::move(versions), before);
  for (const auto* file : files) file->check();
  if (!on.asked.cold) return results;
  const auto disk = memory::measure_disk({});
  for (auto& one : results) one.floor_s = min_bytes / disk.read_gb_per_s * 1e-9;
  return results;
}

}  // namespace pappus::bench
