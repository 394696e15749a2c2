#include "devices/opencl/identity.h"

#include <algorithm>
#include <numeric>

namespace pappus::devices::opencl {
namespace {

bool same_hardware(const identity& a, const identity& b) {
  if (a.cpu || b.cpu) return a.cpu && b.cpu;
  if (!a.pci.empty() && !b.pci.empty()) return a.pci == b.pci;
  if (!a.uuid.empty() && a.uuid == b.uuid) return true;  // drivers may make up different ones
  return a.vendor == b.vendor && a.name == b.name && a.kind == b.kind &&
         a.memory_bytes == b.memory_bytes;
}

}  // namespace

std::vector<std::optional<std::size_t>> used_instead(std::span<const identity> offered) {
  std::vector<std::size_t> by_version(offered.size());
  std::iota(by_version.begin(), by_version.end(), std::size_t{0});
  std::sort(by_version.begin(), by_version.end(), [&](std::size_t a, std::size_t b) {
    const unsigned of_a = offered[a].platform_version, of_b = offered[b].platform_version;
    return of_a != of_b ? of_a > of_b : a < b;
  });

  std::vector<std::optional<std::size_t>> instead(offered.size());
  std::vector<std::size_t> used;
  for (const std::size_t candidate : by_version) {
    // One platform's devices stand for different ones of another's.
    const auto taken = [&](std::size_t by) {
      for (std::size_t other = 0; other < offered.size(); ++other)
        if (instead[other] == by && offered[other].platform == offered[candidate].platform)
          return true;
      return false;
    };
    for (const std::size_t other : used)
      if (offered[other].platform != offered[candidate].platform && !taken(other) &&
          same_hardware(offered[other], offered[candidate])) {
        instead[candidate] = other;
        break;
      }
    if (!instead[candidate]) used.push_back(candidate);
  }
  return instead;
}

}  // namespace pappus::devices::opencl
