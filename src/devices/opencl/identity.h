// Which of the devices that OpenCL's platforms offer are one piece of hardware.
//
// Several platforms may be installed for one device (a vendor's and Mesa's, say). Work split
// between "both" would fight over it, and its memory would be counted twice. Platforms of the same
// machine tell a device's place on the PCI bus or an UUID; where neither is known on both sides,
// equal vendor, name, kind and memory must do. The host's processor has no such name: CPU devices
// of two platforms are always the same cores. Two devices of one platform are two, whatever they
// say of themselves: identical cards do look alike, and a platform does know what it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pappus::devices::opencl {

struct identity {
  std::size_t platform = 0;       ///< number of the platform that offers it
  unsigned platform_version = 0;  ///< 300 for OpenCL 3.0
  bool cpu = false;
  std::uint32_t vendor = 0;
  std::string name;
  std::uint64_t kind = 0;  ///< CL_DEVICE_TYPE
  std::uint64_t memory_bytes = 0;
  std::string pci, uuid;  ///< empty: unknown
};

/// For each device the number of the device that is used in its place; nullopt where it is used
/// itself. Of several that are one piece of hardware the newest platform's is used, of equally new
/// ones the first.
std::vector<std::optional<std::size_t>> used_instead(std::span<const identity> offered);

}  // namespace pappus::devices::opencl
