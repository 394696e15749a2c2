#include "system/cgroup.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

namespace pappus::bench {
namespace {

namespace fs = std::filesystem;

/// Of a file with a number, "max" or, in version 1, a number near 2^63 for none.
std::uint64_t limit_in(const fs::path& file) {
  std::uint64_t bytes = 0;
  std::ifstream(file) >> bytes;
  return bytes < std::uint64_t{1} << 62 ? bytes : 0;
}

/// \param within  a cgroup's path as the kernel tells it: "/user.slice/session-2.scope"
std::uint64_t least_limit(const fs::path& mounted, fs::path within, std::string_view file) {
  std::uint64_t least = 0;
  for (within = within.relative_path();; within = within.parent_path()) {
    const auto bytes = limit_in(mounted / within / file);
    if (bytes > 0) least = least > 0 ? std::min(least, bytes) : bytes;
    if (within.empty()) return least;
  }
}

}  // namespace

std::uint64_t cgroup_memory_bytes(const fs::path& root) {
  std::ifstream lines(root / "proc/self/cgroup");
  const auto mounted = root / "sys/fs/cgroup";
  // Number:controllers:path; of version 2 "0::path".
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const auto within = line.substr(second + 1);
    std::uint64_t bytes = 0;
    if (controllers == ",,")
      bytes = least_limit(mounted, within, "memory.max");
    else if (controllers.find(",memory,") != controllers.npos)
      bytes = least_limit(mounted / "memory", within, "memory.limit_in_bytes");
    if (bytes > 0) return bytes;
  }
  return 0;
}

}  // namespace pappus::bench
