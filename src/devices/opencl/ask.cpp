#include "devices/opencl/ask.h"

#include <algorithm>
#include <cstdio>

namespace pappus::devices::opencl {
namespace {

// Calls `tell(size, to, &size)` for a text, and cuts off what drivers leave around it.
template <typename Tell>
std::string text_of(Tell tell) {
  std::size_t size = 0;
  tell(0, nullptr, &size);
  std::string text(size, '\0');
  tell(size, text.data(), nullptr);
  text.resize(std::min(text.find('\0'), text.size()));
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

void asking::check(cl_int code, cl_uint what) {
  if (code == CL_SUCCESS) return;
  char question[32];
  std::snprintf(question, sizeof question, "question 0x%x", what);
  fail("opencl", question, code);
}

std::string asking::platform_text(cl_platform_info what) const {
  return text_of([&](std::size_t size, char* to, std::size_t* needed) {
    check(cl_.GetPlatformInfo(platform_, what, size, to, needed), what);
  });
}

std::string asking::device_text(cl_device_info what) const {
  return text_of([&](std::size_t size, char* to, std::size_t* needed) {
    check(cl_.GetDeviceInfo(id_, what, size, to, needed), what);
  });
}

unsigned version_number(const std::string& text) {
  unsigned major = 0, minor = 0;
  if (std::sscanf(text.c_str(), "OpenCL %u.%u", &major, &minor) != 2) return 0;
  return major * 100 + minor * 10;
}

}  // namespace pappus::devices::opencl
