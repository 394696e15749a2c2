// Finds the devices of all OpenCL platforms.
#include <string>
#include <vector>

#include "devices/opencl/ask.h"
#include "devices/opencl/device.h"
#include "devices/opencl/identity.h"
#include "devices/registry.h"

namespace pappus::devices {
namespace opencl {
namespace {

struct offer {
  cl_platform_id platform;
  cl_device_id id;
  std::string platform_name;
  identity owner;
};

std::string hex_text(const unsigned char* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] / 16];
    text += "0123456789abcdef"[bytes[i] % 16];
  }
  return text;
}

identity identity_of(const asking& of, std::size_t platform) {
  identity owner;
  owner.platform = platform;
  owner.platform_version = version_number(of.platform_text(CL_PLATFORM_VERSION));
  // Which device is the platform's default says nothing about the device.
  const auto type = of.device<cl_device_type>(CL_DEVICE_TYPE);
  owner.kind = type & ~static_cast<cl_device_type>(CL_DEVICE_TYPE_DEFAULT);
  owner.cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  owner.vendor = of.device<cl_uint>(CL_DEVICE_VENDOR_ID);
  owner.name = of.device_text(CL_DEVICE_NAME);
  owner.memory_bytes = of.device<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);

  const std::string extensions = of.device_text(CL_DEVICE_EXTENSIONS);
  const auto has = [&](const char* name) { return extensions.find(name) != std::string::npos; };
  cl_device_pci_bus_info_khr pci{};
  if (has("cl_khr_pci_bus_info") && of.device(CL_DEVICE_PCI_BUS_INFO_KHR, pci))
    owner.pci = std::to_string(pci.pci_domain) + ':' + std::to_string(pci.pci_bus) + ':' +
                std::to_string(pci.pci_device) + '.' + std::to_string(pci.pci_function);
  struct {
    unsigned char bytes[CL_UUID_SIZE_KHR];
  } uuid{};
  if (has("cl_khr_device_uuid") && of.device(CL_DEVICE_UUID_KHR, uuid))
    owner.uuid = hex_text(uuid.bytes, sizeof uuid.bytes);
  return owner;
}

// Why a device can't serve; empty: it can.
std::string shortcoming(const asking& of) {
  if (version_number(of.device_text(CL_DEVICE_VERSION)) < 120) return "is older than OpenCL 1.2";
  if (!of.device<cl_bool>(CL_DEVICE_AVAILABLE)) return "isn't available";
  if (!of.device<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
  if (!of.device<cl_bool>(CL_DEVICE_ENDIAN_LITTLE)) return "is big-endian, unlike the host";
  return {};
}

void list_platform(const library& cl, cl_platform_id platform, std::size_t number,
                   std::vector<offer>& offers, std::vector<std::string>& notes) {
  const std::string platform_name = asking(cl, platform, nullptr).platform_text(CL_PLATFORM_NAME);
  cl_uint count = 0;
  cl_int code = cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND) return;
  std::vector<cl_device_id> ids(count);
  if (code == CL_SUCCESS)
    code = cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  if (code != CL_SUCCESS) fail("OpenCL", "listing the devices of " + platform_name, code);
  for (const cl_device_id id : ids) {
    const asking of(cl, platform, id);
    const std::string why = shortcoming(of);
    if (why.empty())
      offers.push_back({platform, id, platform_name, identity_of(of, number)});
    else
      notes.push_back("OpenCL: " + of.device_text(CL_DEVICE_NAME) + " of " + platform_name + ' ' +
                      why);
  }
}

std::vector<offer> list_devices(const library& cl, std::vector<std::string>& notes) {
  std::vector<offer> offers;
  cl_uint count = 0;
  if (cl.GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    notes.push_back("OpenCL: the library is there, but no driver (platform)");
    return offers;
  }
  std::vector<cl_platform_id> platforms(count);
  cl.GetPlatformIDs(count, platforms.data(), nullptr);
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    try {
      list_platform(cl, platforms[p], p, offers, notes);
    } catch (const device_error& e) {  // a broken driver doesn't hide the others
      notes.push_back(e.what());
    }
  }
  return offers;
}

}  // namespace
}  // namespace opencl

std::vector<std::unique_ptr<device>> open_opencl_devices(std::vector<std::string>& notes) {
  std::vector<std::unique_ptr<device>> devices;
  std::string why;
  const opencl::library* cl = opencl::load_library(&why);
  if (!cl) {
    notes.push_back("OpenCL: " + why);
    return devices;
  }
  const std::vector<opencl::offer> offers = opencl::list_devices(*cl, notes);
  std::vector<opencl::identity> owner;
  for (const opencl::offer& o : offers) owner.push_back(o.owner);
  const auto instead = opencl::used_instead(owner);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (instead[i]) {
      notes.push_back("OpenCL: " + owner[i].name + " of " + offers[i].platform_name +
                      " is the same device as " + owner[*instead[i]].name + " of " +
                      offers[*instead[i]].platform_name + ", which is used");
      continue;
    }
    try {
      devices.push_back(std::make_unique<opencl::opencl_device>(
          *cl, offers[i].platform, offers[i].id, "opencl:" + std::to_string(devices.size())));
    } catch (const device_error& e) {
      notes.push_back(e.what());
    }
  }
  return devices;
}

}  // namespace pappus::devices
