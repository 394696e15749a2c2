// What the kernel lets a run have, its page cache included.
#pragma once

#include <cstdint>
#include <filesystem>

namespace pappus::bench {

/// The least memory limit of the process's cgroup and of those around it, of version 1 or 2; 0
/// where none has any. Pages that its files take in the page cache count against it.
/// \param root  where /proc and /sys are
std::uint64_t cgroup_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace pappus::bench
